import { expect, test } from 'vitest'
import { classifyError, type Failure } from '../../../adapters/models/classify-error.ts'
import type { ModelErrorCode } from '../../../runtime/ports/models.ts'

const now = Date.parse('2026-01-05T09:00:00.000Z')

const classify = (failure: Partial<Failure>) =>
  classifyError({ provider: 'openai', began: false, ...failure }, now)

const openai = (message: string, type = 'invalid_request_error', code: string | null = null) => ({
  error: { message, type, param: null, code },
})
const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message } })

const refusals: [ModelErrorCode, string, number, unknown][] = [
  [
    'context_overflow',
    'OpenAI',
    400,
    openai(
      "This model's maximum context length is 128000 tokens.",
      'invalid_request_error',
      'context_length_exceeded',
    ),
  ],
  [
    'context_overflow',
    'OpenAI responses',
    400,
    openai('Your input exceeds the context window of this model.'),
  ],
  [
    'context_overflow',
    'Anthropic prompt',
    400,
    anthropic('invalid_request_error', 'prompt is too long: 213462 tokens > 200000 maximum'),
  ],
  [
    'context_overflow',
    'Anthropic prompt and answer',
    400,
    anthropic(
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 199759 + 20000 > 200000',
    ),
  ],
  [
    'context_overflow',
    'Anthropic bytes',
    413,
    anthropic('request_too_large', 'Request exceeds the maximum size'),
  ],
  [
    'context_overflow',
    'Google',
    400,
    {
      error: {
        code: 400,
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        status: 'INVALID_ARGUMENT',
      },
    },
  ],
  [
    'context_overflow',
    'Mistral',
    400,
    {
      object: 'error',
      message: 'Prompt contains 40010 tokens, too large for model with 32768 maximum context length',
      type: 'invalid_request_prompt',
      code: '3051',
    },
  ],
  [
    'context_overflow',
    'Groq',
    400,
    openai(
      'Please reduce the length of the messages or completion.',
      'invalid_request_error',
      'context_length_exceeded',
    ),
  ],
  [
    'context_overflow',
    'Groq, above the minute allowance',
    413,
    openai(
      'Request too large for model `llama` on tokens per minute (TPM): Limit 6000, Requested 9000',
      'tokens',
      'rate_limit_exceeded',
    ),
  ],
  [
    'context_overflow',
    'DeepSeek',
    400,
    openai("This model's maximum context length is 65536 tokens. However, you requested 70000 tokens"),
  ],
  [
    'context_overflow',
    'OpenRouter',
    400,
    {
      error: {
        code: 400,
        message:
          "This endpoint's maximum context length is 8192 tokens. However, you requested about 9000 tokens",
      },
    },
  ],
  [
    'context_overflow',
    'vLLM',
    400,
    {
      object: 'error',
      message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  ],
  [
    'context_overflow',
    'llama.cpp',
    400,
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    },
  ],
  [
    'context_overflow',
    'LM Studio',
    400,
    {
      error:
        'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens.',
    },
  ],
  ['context_overflow', 'LiteLLM', 400, openai('litellm.ContextWindowExceededError: too many tokens')],

  [
    'billing',
    'OpenAI',
    429,
    openai(
      'You exceeded your current quota, please check your plan and billing details.',
      'insufficient_quota',
      'insufficient_quota',
    ),
  ],
  [
    'billing',
    'Anthropic',
    400,
    anthropic('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'),
  ],
  ['billing', 'Anthropic 402', 402, anthropic('billing_error', 'There is an issue with billing')],
  ['billing', 'DeepSeek', 402, openai('Insufficient Balance', 'unknown_error', 'invalid_request_error')],
  [
    'billing',
    'OpenRouter',
    402,
    { error: { code: 402, message: 'This request requires more credits, or fewer max_tokens.' } },
  ],

  ['rate_limit', 'OpenAI', 429, openai('Rate limit reached for gpt-4o', 'tokens', 'rate_limit_exceeded')],
  [
    'rate_limit',
    'Anthropic',
    429,
    anthropic('rate_limit_error', 'This request would exceed your rate limit'),
  ],
  [
    'rate_limit',
    'Google free tier',
    429,
    {
      error: {
        code: 429,
        message: 'You exceeded your current quota, please check your plan and billing details.',
        status: 'RESOURCE_EXHAUSTED',
      },
    },
  ],
  [
    'rate_limit',
    'Mistral',
    429,
    { object: 'error', message: 'Requests rate limit exceeded', type: 'rate_limited', code: '1300' },
  ],
  ['rate_limit', 'a proxy', 429, undefined],

  ['auth', 'OpenAI', 401, openai('Incorrect API key provided', 'invalid_request_error', 'invalid_api_key')],
  ['auth', 'Anthropic', 401, anthropic('authentication_error', 'invalid x-api-key')],
  [
    'auth',
    'Anthropic permission',
    403,
    anthropic('permission_error', 'Your API key does not have permission to use the specified resource'),
  ],
  [
    'auth',
    'Google',
    400,
    {
      error: {
        code: 400,
        message: 'API key not valid.',
        status: 'INVALID_ARGUMENT',
        details: [{ reason: 'API_KEY_INVALID' }],
      },
    },
  ],
  ['auth', 'Mistral', 401, { detail: 'Unauthorized' }],
  [
    'auth',
    'a country',
    403,
    openai(
      'Country, region, or territory not supported',
      'request_forbidden',
      'unsupported_country_region_territory',
    ),
  ],

  [
    'model_not_found',
    'OpenAI',
    404,
    openai(
      'The model `gpt-9` does not exist or you do not have access to it.',
      'invalid_request_error',
      'model_not_found',
    ),
  ],
  [
    'model_not_found',
    'OpenAI project',
    403,
    openai('Project `p` does not have access to model `o9`', 'invalid_request_error', 'model_not_found'),
  ],
  ['model_not_found', 'Anthropic', 404, anthropic('not_found_error', 'model: claude-nowhere')],
  [
    'model_not_found',
    'Google',
    404,
    {
      error: {
        code: 404,
        message:
          'models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.',
        status: 'NOT_FOUND',
      },
    },
  ],
  [
    'model_not_found',
    'Mistral',
    400,
    { object: 'error', message: 'Invalid model: nowhere', type: 'invalid_model', code: '1500' },
  ],
  [
    'model_not_found',
    'Groq retired',
    400,
    openai('The model `llama2` has been decommissioned', 'invalid_request_error', 'model_decommissioned'),
  ],
  [
    'model_not_found',
    'OpenRouter',
    400,
    { error: { code: 400, message: 'nowhere/model is not a valid model ID' } },
  ],
  ['model_not_found', 'Ollama', 404, openai('model "nowhere" not found, try pulling it first', 'api_error')],

  [
    'content_filter',
    'OpenAI',
    400,
    openai(
      'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
      'invalid_request_error',
      'invalid_prompt',
    ),
  ],
  [
    'content_filter',
    'Azure',
    400,
    openai(
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      'invalid_request_error',
      'content_filter',
    ),
  ],
  [
    'content_filter',
    'OpenRouter',
    403,
    {
      error: {
        code: 403,
        message: 'openai/gpt-4o requires moderation. Your input was flagged for "violence".',
      },
    },
  ],

  [
    'overloaded',
    'OpenAI',
    503,
    openai('The engine is currently overloaded, please try again later', 'server_error'),
  ],
  ['overloaded', 'Anthropic', 529, anthropic('overloaded_error', 'Overloaded')],
  [
    'overloaded',
    'Google',
    503,
    {
      error: {
        code: 503,
        message: 'The model is overloaded. Please try again later.',
        status: 'UNAVAILABLE',
      },
    },
  ],
  ['overloaded', 'Groq', 498, openai('Flex capacity exceeded', 'capacity_exceeded')],
  [
    'overloaded',
    'llama.cpp',
    503,
    { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } },
  ],

  [
    'timeout',
    'Google',
    504,
    {
      error: {
        code: 504,
        message: 'Deadline expired before operation could complete.',
        status: 'DEADLINE_EXCEEDED',
      },
    },
  ],
  ['timeout', 'OpenRouter', 408, { error: { code: 408, message: 'Request timed out' } }],

  [
    'provider_unavailable',
    'OpenAI',
    500,
    openai('The server had an error while processing your request.', 'server_error'),
  ],
  ['provider_unavailable', 'Anthropic', 500, anthropic('api_error', 'Internal server error')],
  ['provider_unavailable', 'a proxy', 502, '<html><h1>502 Bad Gateway</h1></html>'],
  ['provider_unavailable', 'a wrong address', 404, '404 page not found'],
  [
    'internal_error',
    'a request of ours that is wrong',
    400,
    openai("Invalid value: 'tool'", 'invalid_request_error'),
  ],
]

test.each(refusals)('%s: %s, status %i', (code, _vendor, status, body) => {
  expect(classify({ status, body: typeof body === 'string' ? body : JSON.stringify(body) }).code).toBe(code)
})

test.each<[ModelErrorCode, boolean, string]>([
  ['provider_unavailable', false, 'fetch failed (connect ECONNREFUSED 127.0.0.1:11434)'],
  ['provider_unavailable', false, 'fetch failed (getaddrinfo ENOTFOUND api.openai.com)'],
  ['timeout', false, 'fetch failed (connect ETIMEDOUT 192.0.2.1:443)'],
  ['timeout', true, 'terminated (Body Timeout Error)'],
  ['interrupted', true, 'terminated (other side closed)'],
])('network: %s when begun is %s: %s', (code, began, message) => {
  expect(classify({ began, message })).toMatchObject({ code, message: `openai: ${message}` })
})

test.each([
  ['17', 17],
  ['1.2', 2],
  [' 0 ', 0],
  ['Mon, 05 Jan 2026 09:01:30 GMT', 90],
  ['Mon, 05 Jan 2026 08:59:00 GMT', 0],
  ['soon', undefined],
])('Retry-After %s is %s seconds', (value, seconds) => {
  expect(classify({ status: 429, headers: { 'retry-after': value } }).retry_after_seconds).toBe(seconds)
})

test('reads the wait in milliseconds of OpenAI, and the one in the body of Google', () => {
  const body = JSON.stringify({
    error: { code: 429, details: [{ '@type': 'RetryInfo', retryDelay: '22.4s' }] },
  })

  expect(
    classify({ status: 429, headers: { 'retry-after-ms': '1500', 'retry-after': '9' } }).retry_after_seconds,
  ).toBe(2)
  expect(classify({ status: 429, body }).retry_after_seconds).toBe(23)
})

test("the message is the vendor's sentence, short and on one line", () => {
  const error = classify({ status: 500, body: JSON.stringify(openai(`It\nbroke. ${'x'.repeat(1000)}`)) })

  expect(error.message).toMatch(/^openai: It broke\. x+$/)
  expect(error.message.length).toBeLessThan(320)
})

test('a page of HTML is not quoted', () => {
  expect(classify({ status: 502, body: '<html><h1>Bad Gateway</h1></html>' }).message).toBe(
    'openai: answered with status 502',
  )
})

test.each([
  'my-secret',
  'sk-proj-abcdefghijklmnopqrstuvwxyz',
  'sk-ab*****************yz',
  'gsk_abcdefghijklmnopqrstuvwxyz012345',
  'AIzaSyA-abcdefghijklmnopqrstuvwxyz01234',
])('does not repeat the key %s', (key) => {
  const error = classify({
    status: 401,
    api_key: 'my-secret',
    body: JSON.stringify(openai(`Incorrect API key provided: ${key}.`)),
  })

  expect(error.message).toBe('openai: Incorrect API key provided: [key].')
})
