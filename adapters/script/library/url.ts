import 'core-js/actual/structured-clone'
import 'core-js/web/url'
import 'core-js/web/url-search-params'
import { define } from './host.ts'

const { URL, URLSearchParams, structuredClone } = globalThis
for (const [name, value] of Object.entries({ URL, URLSearchParams, structuredClone })) define(name, value)
