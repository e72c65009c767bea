import { ActionIcon, Text, Title, UnstyledButton } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconAlarm, IconBrain, IconCalculator, IconHelp, IconLayoutSidebar } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { FilePart } from '../../../runtime/chat/schema.ts'
import type { Conversation } from '../../api/chat.ts'
import { useApi } from '../../app/services.tsx'
import { announceError } from '../../parts/announce.ts'
import { useAgents } from './agents.ts'
import classes from './chat.module.css'
import composerClasses from './composer/composer.module.css'
import { Composer, type ComposerHandle } from './composer/composer.tsx'
import type { Settings } from './composer/pickers.tsx'
import { useShelf } from './sessions.tsx'

const starters = [
  { icon: IconHelp, text: 'What can you do for me?' },
  { icon: IconAlarm, text: 'Remind me tomorrow at 9:00 to water the plants' },
  { icon: IconBrain, text: 'Remember that I take my tea without sugar' },
  { icon: IconCalculator, text: 'How much is 15 % of 240?' },
] as const

/** The page before there is a conversation. */
export function NewChat({ openList }: { openList: () => void }) {
  useDocumentTitle('New chat · hearthd')
  const composer = useRef<ComposerHandle>(null)
  const { settings, change, start } = useNewChat()
  useMessageOfAddress(start)
  return (
    <>
      <div className={classes.newBar}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          hiddenFrom="sm"
          aria-label="Conversations"
          onClick={openList}
        >
          <IconLayoutSidebar size={20} />
        </ActionIcon>
      </div>
      <div className={classes.welcome}>
        <Title order={1} size="h2">
          What shall be done?
        </Title>
        <Text c="dimmed" mt={4}>
          Ask, or give something to do. It goes on when you close this page.
        </Text>
        <ul className={classes.starters}>
          {starters.map(({ icon: Icon, text }) => (
            <li key={text}>
              <UnstyledButton className={classes.starter} onClick={() => composer.current?.fill(text)}>
                <Icon size={18} stroke={1.7} aria-hidden />
                {text}
              </UnstyledButton>
            </li>
          ))}
        </ul>
      </div>
      <div className={composerClasses.dock}>
        <Composer
          conversation={null}
          settings={settings}
          change={change}
          busy={false}
          send={(text, _, files) => start(text, {}, files)}
          stop={() => undefined}
          handle={composer}
        />
      </div>
    </>
  )
}

function useNewChat() {
  const api = useApi()
  const shelf = useShelf()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const agents = useAgents()
  const [search] = useSearchParams()
  const [chosen, setChosen] = useState<Partial<Settings>>(() => agentOf(search))
  const agent = agents.find(({ id }) => id === chosen.agent_id) ?? agents[0]
  const execution_mode = chosen.execution_mode ?? agent?.execution_mode ?? 'approval_required'
  const settings: Settings = {
    mode: 'agent',
    model: null,
    ...chosen,
    agent_id: agent?.id ?? null,
    execution_mode,
  }

  /** Made for a message that then could not be sent: the next try is sent there. */
  const made = useRef<{ wanted: string; id: string } | null>(null)
  const start = async (text: string, limits: Partial<Settings> = {}, files: FilePart[] = []) => {
    const { agent_id, model, ...modes } = { ...settings, ...limits }
    const body = {
      ...modes,
      model,
      ...(agent_id && { agent_id }),
      ...(!agent_id && { execution_mode: undefined }),
      ...limits,
    }
    const wanted = JSON.stringify(body)
    if (made.current?.wanted !== wanted) {
      const { id } = await api.post<Conversation>('/api/chat/conversations', body)
      made.current = { wanted, id }
    }
    const { id } = made.current
    await shelf.get(id).send(text, { files })
    navigate(`/chat/${id}`, { replace: true })
    void queries.invalidateQueries({ queryKey: ['conversations'] })
  }
  return { settings, change: (changes: Partial<Settings>) => setChosen({ ...chosen, ...changes }), start }
}

/** `/chat?agent=…` begins with that agent. */
function agentOf(search: URLSearchParams): Partial<Settings> {
  const agent_id = search.get('agent')
  return agent_id ? { agent_id } : {}
}

/**
 * `/chat?message=…` sends at once. Somebody else may have made the link, so where the page was opened by an address
 * (and not from within) the agent asks before it acts, whatever its own setting.
 */
function useMessageOfAddress(start: (text: string, limits?: Partial<Settings>) => Promise<void>): void {
  const [search] = useSearchParams()
  const message = search.get('message')?.trim()
  const begun = useRef(false)
  const begin = useEffectEvent((text: string) => {
    start(text, openedByAddress() ? { execution_mode: 'approval_required' } : {}).catch(announceError)
  })
  useEffect(() => {
    if (!message || begun.current) return
    begun.current = true
    begin(message)
  }, [message])
}

function openedByAddress(): boolean {
  const [entry] = performance.getEntriesByType('navigation')
  return entry === undefined || entry.name === location.href
}
