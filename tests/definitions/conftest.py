"""The second reader imports test files of definitions: before they are run, not within one."""

import tests.second_reader.questions  # noqa: F401
