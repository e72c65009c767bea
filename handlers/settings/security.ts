import { endpoint } from '../../runtime/http/endpoint.ts'
import { changeSection, readSection, resetSection } from '../../runtime/settings/section.ts'
import {
  readSecurity,
  SecurityChange,
  SecuritySettings,
  securitySettings,
} from '../../runtime/settings/security.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/security',
  summary: 'Read the security settings',
  returns: SecuritySettings,
  async run(_, context) {
    return readSection(context, securitySettings)
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/settings/security',
  summary: 'Change any part of the security settings',
  access: 'admin',
  body: SecurityChange,
  returns: SecuritySettings,
  async run({ body }, context) {
    await changeSection(context, securitySettings, body)
    return readSecurity(context)
  },
})

export const reset = endpoint({
  method: 'POST',
  path: '/api/settings/security/reset',
  summary: 'Give every security setting its default again',
  access: 'admin',
  returns: SecuritySettings,
  async run(_, context) {
    await resetSection(context, securitySettings)
    return readSecurity(context)
  },
})
