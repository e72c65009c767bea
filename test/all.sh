#!/bin/sh
# Runs all tests in four parts, as one process would reach its limit of memory, and lists at the end what failed in any.
failed=0
rm -rf .vitest/blob
for part in 1 2 3 4; do
  vitest run --config test/vitest.config.ts --reporter=default --reporter=blob --logHeapUsage --shard=$part/4 || failed=1
done
vitest run --config test/vitest.config.ts --merge-reports --reporter=minimal || failed=1
exit $failed
