import { bootstrapOn, needsSetupToken } from '../../runtime/auth/bootstrap.ts'
import { Profile, profile as profileSection } from '../../runtime/auth/profile.ts'
import { BootstrapState, NewAdmin, SetupResult } from '../../runtime/auth/schema.ts'
import { setUp } from '../../runtime/auth/setup.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { configureProvider, findProvider, Provider, SetupProvider } from '../../runtime/providers/index.ts'
import { subsetOf } from '../../runtime/sections/merge.ts'
import { changeSection, readSection } from '../../runtime/sections/section.ts'

export const bootstrap = endpoint('GET /api/auth/bootstrap', {
  summary: 'Report whether setup is pending and whether this client needs the setup token',
  access: 'public',
  returns: BootstrapState,
  async run({ request }, context) {
    const bootstrap_mode = await bootstrapOn(context)
    const setup_token_required = bootstrap_mode && needsSetupToken(request, context)
    return { bootstrap_mode, setup_token_required, version: context.config.version }
  },
})

export const admin = endpoint('POST /api/setup/admin', {
  summary: 'Create the first user, key and session, and end bootstrap mode',
  access: 'setup',
  body: NewAdmin,
  returns: SetupResult,
  status: 201,
  run: ({ body }, context) => setUp(context, body),
})

export const provider = endpoint('POST /api/setup/provider', {
  summary: 'Configure a model provider during setup',
  access: 'setup',
  body: SetupProvider,
  returns: Provider,
  run: ({ body: { model, ...access } }, context) =>
    configureProvider(context, { ...access, default_model: model, model_field: 'model' }),
  recover: ({ body }, context) => findProvider(context, body.provider),
})

export const profile = endpoint('POST /api/setup/profile', {
  summary: 'Set the profile during setup',
  access: 'setup',
  body: subsetOf(Profile),
  returns: Profile,
  run: ({ body }, context) => changeSection(context, profileSection, body),
  recover: (_, context) => readSection(context, profileSection),
})
