import { expect, test } from 'vitest'
import { createMetrics } from '../../../adapters/prometheus/metrics.ts'
import { Measurements } from '../../../runtime/measurements.ts'

test('names that people choose do not make metrics grow without limit', async () => {
  const metrics = createMetrics()
  for (let index = 0; index < 1_200; index += 1) metrics.count('model_calls_total', { model: `model ${index}` })
  metrics.count('model_calls_total', { model: 'model 5' })
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('service_model_calls'))
  expect(lines).toHaveLength(1_001)
  expect(lines).toContain('service_model_calls_total{model="other"} 200')
  expect(lines).toContain('service_model_calls_total{model="model 5"} 2')
})

test('nor the figures of a minute', () => {
  const measurements = new Measurements()
  const call = { failed: true, took: 5, first: null }
  for (let index = 0; index < 150; index += 1) measurements.model(0, `model ${index}`, call)
  const models = measurements.pending.get(0)?.models
  expect(models?.size).toBe(101)
  expect(models?.get('other')?.count).toBe(50)
})
