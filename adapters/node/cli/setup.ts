import { userInfo } from 'node:os'
import { refusalText } from './client.ts'
import { type Command, Failure, type Options, print, textOption } from './command.ts'
import { ask, askHidden } from './prompt.ts'
import { environmentOf } from './settings.ts'
import { findDaemon, type Target } from './target.ts'

interface SetupAnswer {
  user: { username: string }
  api_key: { key: string }
}

export const command: Command = {
  usage: 'setup',
  what: 'Create the first user and the first API key',
  options: [
    ['--username', 'Name of the administrator; asked for when left out'],
    ['--display-name', 'Name to show'],
    ['--key-name', 'Name of the first key'],
    ['--json', 'Print JSON'],
  ],
  examples: ['setup', 'setup --username ada < password.txt'],
  async run(_, options) {
    const target = findDaemon(environmentOf({}), {})
    if (!target) throw new Failure('hearthd is not running; start it with hearthd start')
    if (!(await inBootstrap(target))) throw new Failure('Setup has been completed already')
    const answer = await setUp(target, options)
    print(options, answer, done(answer))
  },
}

async function inBootstrap(target: Target): Promise<boolean> {
  const response = await fetch(`${target.url}/api/auth/bootstrap`)
  return ((await response.json()) as { bootstrap_mode: boolean }).bootstrap_mode
}

/** The password is never an argument, because every process of the machine can read those. */
async function setUp(target: Target, options: Options): Promise<SetupAnswer> {
  const username = textOption(options, 'username') ?? (await ask('Username', userInfo().username))
  const display_name = textOption(options, 'display-name')
  const key_name = textOption(options, 'key-name')
  const password = await askHidden('Password (10 characters or more)')
  const response = await fetch(`${target.url}/api/setup/admin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-setup-token': target.setup_token ?? '' },
    body: JSON.stringify({ username, password, display_name, key_name }),
  })
  if (!response.ok) throw new Failure(await refusalText(response))
  return (await response.json()) as SetupAnswer
}

const done = ({ user, api_key }: SetupAnswer) =>
  `${user.username} is the administrator.\nThe first API key, shown this once:\n\n  ${api_key.key}\n`
