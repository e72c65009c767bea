import * as approvals from './approvals.ts'
import * as changes from './changes.ts'
import * as checkIns from './check-ins.ts'
import * as conversations from './conversations.ts'
import * as links from './links.ts'
import * as messages from './messages.ts'
import * as permissions from './permissions.ts'
import * as stream from './stream.ts'

export const chat = [
  ...Object.values(conversations),
  ...Object.values(messages),
  ...Object.values(stream),
  ...Object.values(approvals),
  ...Object.values(changes),
  ...Object.values(checkIns),
  ...Object.values(links),
  ...Object.values(permissions),
]
