import { createWebOutbound } from '../../../adapters/outbound/web.ts'
import { outboundContract } from '../../contracts/outbound.ts'

outboundContract((settings) => createWebOutbound(fetch, settings))
