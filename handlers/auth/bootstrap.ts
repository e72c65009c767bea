import { bootstrapOn, needsSetupToken } from '../../runtime/auth/bootstrap.ts'
import { BootstrapState } from '../../runtime/auth/schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/auth/bootstrap',
  summary: 'Report whether setup is pending and whether this client needs the setup token',
  access: 'public',
  returns: BootstrapState,
  async run({ request }, context) {
    const bootstrap_mode = await bootstrapOn(context)
    const setup_token_required = bootstrap_mode && needsSetupToken(request, context)
    return { bootstrap_mode, setup_token_required, version: context.config.version }
  },
})
