import { unsupported } from '../../runtime/fault.ts'
import type { Mail } from '../../runtime/ports/mail.ts'

/** A host that cannot speak to mail servers. */
export const noMail: Mail = {
  async send() {
    throw unsupported('This host sends no mail; the Node host does')
  },
}
