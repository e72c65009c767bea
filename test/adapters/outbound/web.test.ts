import { createWebOutbound } from '../../../adapters/outbound/follow.ts'
import { outboundContract } from '../../contracts/outbound.ts'

outboundContract((settings) => createWebOutbound(fetch, settings))
