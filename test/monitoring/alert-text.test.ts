import { expect, test } from 'vitest'
import { MetricName } from '../../runtime/monitoring/alert-schema.ts'
import { metricTexts, summaryOf, valueText } from '../../runtime/monitoring/alert-text.ts'

test.each([
  ['cost_today > threshold', 5, 0.034, 'Cost today: above $5.00', '$0.03'],
  ['error_rate', 0.05, 0.031, 'Failed requests: above 5 %', '3.1 %'],
  ['disk_free_pct < threshold', 10, 9.876, 'Free disk space: below 10 %', '9.9 %'],
  ['rss_mb>threshold', 500, 1234.5, 'Memory of hearthd: above 500 MB', '1,235 MB'],
  ['provider_heat > threshold', 0, 2, 'Provider limit: above normal', 'reached'],
  ['tokens_today > threshold', 100_000, 12_345, 'Tokens used today: above 100,000', '12,345'],
  ['failed_runs + missed_runs', 3, 4, 'failed_runs + missed_runs, threshold 3', '4'],
])('%s reads well', (condition, threshold, value, summary, text) => {
  expect(summaryOf({ condition, threshold })).toBe(summary)
  expect(valueText({ condition, threshold }, value)).toBe(text)
})

test('every metric has a text', () => {
  expect(metricTexts.map(({ name }) => name)).toEqual(MetricName.options)
})
