import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import {
  changeEmail,
  EmailChange,
  EmailSettings,
  EmailTest,
  emailSettings,
  testEmail,
} from '../../runtime/settings/email.ts'
import { showSection } from '../../runtime/settings/section.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/email',
  summary: 'Read the mail server',
  returns: EmailSettings,
  async run(_, context) {
    return (await showSection(context, emailSettings)) as EmailSettings
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/settings/email',
  summary: 'Change any part of the mail server; null takes the password away',
  access: 'admin',
  body: EmailChange,
  returns: EmailSettings,
  async run({ body }, context) {
    return (await changeEmail(context, body)) as EmailSettings
  },
})

export const test = endpoint({
  method: 'POST',
  path: '/api/settings/email/test',
  summary: 'Send one mail, to the sender itself when no address is given',
  access: 'admin',
  idempotent: false,
  body: z.strictObject({ to: z.email().max(320).optional() }),
  body_optional: true,
  returns: EmailTest,
  async run({ body }, context) {
    return testEmail(context, body.to)
  },
})
