import { pairDevice } from '../../runtime/devices/pairing.ts'
import { DeviceToken, PairRequest } from '../../runtime/devices/schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const pair = endpoint({
  method: 'POST',
  path: '/api/auth/device/pair',
  summary: 'Exchange a pairing code for the token of a new device',
  access: 'public',
  body: PairRequest,
  returns: DeviceToken,
  status: 201,
  run: ({ body, request }, context) => pairDevice(context, body, request.url),
})
