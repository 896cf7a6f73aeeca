# SPDX-License-Identifier: Apache-2.0
# For CPack: puts the completions of zsh where Debian's zsh looks for those of packages.
if(CPACK_GENERATOR STREQUAL "DEB")
    set(zsh "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/zsh")
    file(RENAME "${zsh}/site-functions" "${zsh}/vendor-completions")
endif()
