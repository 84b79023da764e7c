"""Adds up the reports of Schemathesis runs: report.py CASES REPORT…

Fails when fewer than CASES cases ran, or when an operation never succeeded: then its successful
answers were never compared with the document.
"""

import collections
import json
import sys


def main(least, paths):
    cases = 0
    answers = collections.defaultdict(collections.Counter)
    for path in paths:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        cases += report["cases"]
        for operation, statuses in report["answers"].items():
            answers[operation].update(statuses)
    failed = cases < least
    print(f"{cases} cases, {len(answers)} operations")
    for operation, statuses in sorted(answers.items()):
        succeeded = any(status.startswith("2") for status in statuses)
        failed |= not succeeded
        listed = ", ".join(f"{count} × {status}" for status, count in sorted(statuses.items()))
        print(f"{' ' if succeeded else '✗'} {operation}: {listed}")
    if failed:
        print(f"expected at least {least} cases and a success of every operation", file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
