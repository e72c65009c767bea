import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  readEnvironment,
  unknownVariables,
  unreadableVariables,
  variables,
  WrongVariable,
} from '../../../adapters/node/environment.ts'

test('has the specified defaults when nothing is set', () => {
  expect(readEnvironment({})).toMatchObject({
    host: '',
    port: 18781,
    data_dir: join(homedir(), '.hearthd'),
    api_key_required: false,
    cors_origins: ['http://localhost:5173'],
    log_level: 'info',
    json_limit: 1_048_576,
    upload_limit: 104_857_600,
    files_quota: 10_737_418_240,
    database_url: undefined,
  })
})

test('the variables of OpenTelemetry are defaults of ours', () => {
  const standard = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
    OTEL_SERVICE_NAME: 'hearth',
  }
  expect(readEnvironment(standard)).toMatchObject({
    otlp_endpoint: 'http://collector:4318',
    otlp_headers: { authorization: 'Bearer abc' },
    otlp_service_name: 'hearth',
  })
  const own = readEnvironment({ ...standard, SERVICE_OTLP_ENDPOINT: 'http://other:4318' })
  expect(own.otlp_endpoint).toBe('http://other:4318')
})

test('the variables of OpenTelemetry never stop the start, and an empty one of ours overrides them', () => {
  const unreadable = { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317', OTEL_EXPORTER_OTLP_HEADERS: 'key=%' }
  expect(readEnvironment(unreadable)).toMatchObject({ otlp_endpoint: undefined, otlp_headers: {} })
  expect(unreadableVariables(unreadable)).toEqual(Object.keys(unreadable))
  expect(readEnvironment({ OTEL_EXPORTER_OTLP_HEADERS: 'key=a%2Cb,other=c' }).otlp_headers).toEqual({
    key: 'a,b',
    other: 'c',
  })
  const standard = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
  expect(readEnvironment({ ...standard, SERVICE_OTLP_ENDPOINT: '' }).otlp_endpoint).toBeUndefined()
  expect(unreadableVariables({ ...unreadable, ...standard, OTEL_EXPORTER_OTLP_HEADERS: '' })).toEqual([])
})

test('an empty variable counts as absent', () => {
  expect(readEnvironment({ SERVICE_PORT: '', SERVICE_LOG_LEVEL: ' ' })).toMatchObject({
    port: 18781,
    log_level: 'info',
  })
})

test('reads lists, flags and folders', () => {
  const environment = readEnvironment({
    SERVICE_CORS_ORIGINS: 'https://ui.example.com, http://10.0.0.5:3000',
    SERVICE_API_KEY_REQUIRED: 'True',
    SERVICE_DATA_DIR: '~/somewhere',
    SERVICE_ALLOWED_HOSTS: 'Hearth.Lan,hearth.lan:443',
    SERVICE_TRUSTED_PROXIES: '10.0.0.0/8,::1',
  })
  expect(environment).toMatchObject({
    cors_origins: ['http://localhost:5173', 'https://ui.example.com', 'http://10.0.0.5:3000'],
    api_key_required: true,
    data_dir: join(homedir(), 'somewhere'),
    allowed_hosts: ['hearth.lan', 'hearth.lan:443'],
    trusted_proxies: ['10.0.0.0/8', '::1'],
  })
})

test.each([
  ['SERVICE_PORT', 'eighty'],
  ['SERVICE_PORT', '70000'],
  ['SERVICE_PORT', '1e3'],
  ['SERVICE_API_KEY_REQUIRED', 'perhaps'],
  ['SERVICE_CORS_ORIGINS', '*'],
  ['SERVICE_CORS_ORIGINS', 'https://example.com/path'],
  ['SERVICE_ALLOWED_HOSTS', 'http://example.com'],
  ['SERVICE_TRUSTED_PROXIES', '10.0.0.0/99'],
  ['SERVICE_DATABASE_URL', 'postgres://example.com'],
  ['SERVICE_LOG_LEVEL', 'loud'],
  ['SERVICE_TIMEZONE', 'Mars/Olympus'],
  ['SERVICE_JSON_LIMIT_BYTES', '0'],
])('%s refuses %s by name', (name, value) => {
  expect(() => readEnvironment({ [name]: value })).toThrow(WrongVariable)
  expect(() => readEnvironment({ [name]: value })).toThrow(name)
})

test('every variable is documented and has our prefix', () => {
  for (const { name, what } of Object.values(variables)) {
    expect(name).toMatch(/^SERVICE_[A-Z_]+$/)
    expect(what.length).toBeGreaterThan(10)
  }
})

test('reports names that look like our variables but are not', () => {
  expect(unknownVariables({ SERVICE_PORTS: '1', SERVICE_PORT: '1', SERVICE_API_KEY: 'x', PATH: '' })).toEqual([
    'SERVICE_PORTS',
  ])
})
