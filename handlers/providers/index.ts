import type { Endpoint } from '../../runtime/http/endpoint.ts'
import { discover, list, models, removeKey, setKey, test } from './providers.ts'

export const providers: Endpoint[] = [list, discover, setKey, removeKey, test, models]
