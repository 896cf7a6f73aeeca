# SPDX-License-Identifier: Apache-2.0
"""scripts/check-ossfuzz: the build for OSS-Fuzz and its checks."""
