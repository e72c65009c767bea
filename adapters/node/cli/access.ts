import { userInfo } from 'node:os'
import { createKeyLocally } from '../../../runtime/auth/local.ts'
import { ScopeName } from '../../../runtime/auth/schema.ts'
import { Client } from './client.ts'
import { command, environmentOf, Failure, jsonOption, print } from './command.ts'
import { withLocalHost } from './local.ts'
import { requireDaemon } from './process.ts'
import { ask, askHidden } from './prompt.ts'

const setup = command({
  usage: 'setup',
  what: 'Create the first user and the first API key',
  options: {
    username: { value: 'name', what: 'User name of the administrator (default: ask)' },
    'display-name': { value: 'name', what: 'Name to show' },
    'key-name': { value: 'name', what: 'Name of the first API key' },
    ...jsonOption,
  },
  examples: ['setup', 'setup --username ada < password.txt'],
  async run(_, options) {
    const { url, setup_token = '' } = requireDaemon()
    const client = new Client(url, { 'x-setup-token': setup_token })
    const { bootstrap_mode } = await client.get('/api/auth/bootstrap')
    if (!bootstrap_mode) throw new Failure('Setup has already been completed', { name: 'conflict' })
    const username = options.username ?? (await ask('Username', userInfo().username))
    // Never an argument: every process on the machine can read arguments.
    const password = await askHidden('Password (at least 10 characters)')
    const names = { display_name: options['display-name'], key_name: options['key-name'] }
    const created = await client.post('/api/setup/admin', { body: { username, password, ...names } })
    const { user, api_key } = created
    print(
      options,
      created,
      `${user.username} is the administrator.\nThe first API key, shown only now:\n\n  ${api_key.key}\n`,
    )
  },
})

const keyCreate = command({
  usage: 'key create [name]',
  what: 'Create an API key and print it; it is shown only once',
  options: {
    name: { value: 'name', what: 'Name of the key (default "Command line")' },
    description: { value: 'text', what: 'What it is for' },
    scopes: {
      value: 'scopes',
      what: 'read, write, approve, admin, separated by commas or spaces',
      default: 'read,write',
    },
    'expires-at': { value: 'time', what: 'When it expires, ISO 8601 (default never)' },
    ...jsonOption,
  },
  examples: ['key create "Home Assistant"', 'key create backup --scopes admin'],
  async run([keyName], { name = keyName, description = '', scopes = '', ...options }) {
    const scopeNames = scopes.split(/[\s,]+/).filter(Boolean)
    const wrong = scopeNames.find((scope) => !ScopeName.safeParse(scope).success)
    if (wrong !== undefined)
      throw new Failure(`Unknown scope: ${wrong}. Scopes are read, write, approve and admin`, { name: 'usage' })
    const key = await withLocalHost(environmentOf(), (host) =>
      createKeyLocally(host, {
        name: name ?? 'Command line',
        description,
        scopes: scopeNames.map((scope) => ScopeName.parse(scope)),
        expires_at: options['expires-at'] ?? null,
      }),
    )
    print(options, key, key.key)
  },
})

export const commands = [setup, keyCreate]
