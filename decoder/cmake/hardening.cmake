# SPDX-License-Identifier: Apache-2.0
# The defences of compiler, linker and loader, for all code. Sanitizers and fuzzing engines bring defences of their own.
# check-hardening shows which of them are in a built command.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

check_pie_supported()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# -fcf-protection is for x86, -mbranch-protection for AArch64. With -fstack-clash-protection, gcc 12 for Windows has an
# internal error.
set(flags -fstack-protector-strong -fcf-protection=full -mbranch-protection=standard)
if(NOT WIN32)
    list(APPEND flags -fstack-clash-protection)
endif()
foreach(flag IN LISTS flags)
    string(MAKE_C_IDENTIFIER "ETLPROOF_HAS${flag}" has)
    check_c_compiler_flag("-Werror ${flag}" ${has})
    if(${has})
        add_compile_options(${flag})
    endif()
endforeach()
if(WIN32)
    # The guard of the stack is in libssp there: linked only with this flag, and into the command, which needs no DLL then.
    add_link_options(-fstack-protector-strong -static)
else()
    # Checks calls of the C library against the sizes of their operands; needs optimisation.
    add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
endif()
# The tables of addresses are read-only before main starts, and neither stack nor heap can be executed.
foreach(flag IN ITEMS relro now noexecstack)
    check_linker_flag(C "LINKER:-z,${flag}" ETLPROOF_HAS_LINKER_${flag})
    if(ETLPROOF_HAS_LINKER_${flag})
        add_link_options("LINKER:-z,${flag}")
    endif()
endforeach()
