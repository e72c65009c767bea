import { Profile, profile as profileSection } from '../../runtime/auth/profile.ts'
import { NewAdmin, SetupResult } from '../../runtime/auth/schema.ts'
import { setUp } from '../../runtime/auth/setup.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { configureProvider, findProvider } from '../../runtime/providers/providers.ts'
import { Provider, SetupProvider } from '../../runtime/providers/schema.ts'
import { subsetOf } from '../../runtime/sections/merge.ts'
import { changeSection, readSection } from '../../runtime/sections/section.ts'

export const admin = endpoint({
  method: 'POST',
  path: '/api/setup/admin',
  summary: 'Create the first user, key and session, and end bootstrap mode',
  access: 'setup',
  body: NewAdmin,
  returns: SetupResult,
  status: 201,
  async run({ body }, context) {
    return setUp(context, body)
  },
})

export const provider = endpoint({
  method: 'POST',
  path: '/api/setup/provider',
  summary: 'Configure a model provider during setup',
  access: 'setup',
  body: SetupProvider,
  returns: Provider,
  async run({ body: { model, ...access } }, context) {
    return configureProvider(context, { ...access, default_model: model, model_field: 'model' })
  },
  recover: ({ body }, context) => findProvider(context, body.provider),
})

export const profile = endpoint({
  method: 'POST',
  path: '/api/setup/profile',
  summary: 'Set the profile during setup',
  access: 'setup',
  body: subsetOf(Profile),
  returns: Profile,
  async run({ body }, context) {
    return changeSection(context, profileSection, body)
  },
  recover: (_, context) => readSection(context, profileSection),
})
