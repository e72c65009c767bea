import type { Mail } from '../../runtime/ports/mail.ts'
import type { LocateHost } from '../mail/mail.ts'

/** Mail, loaded with the first one. */
export function lazyMail(outbound: { locateHost: LocateHost }): Mail {
  let loaded: Promise<Mail> | undefined
  const load = () =>
    (loaded ??= import('../mail/mail.ts').then(({ createMail }) =>
      createMail((host, port) => outbound.locateHost(host, port)),
    ))
  return { send: async (message, server) => (await load()).send(message, server) }
}
