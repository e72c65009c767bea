import { createOutbound } from '../../../adapters/outbound/outbound.ts'
import { outboundContract } from '../../contracts/outbound.ts'

/** Every name leads to this machine, so a name that slips through the rules hits the canary. */
outboundContract((settings) => createOutbound({ ...settings, resolve: async () => ['127.0.0.1'] }))
