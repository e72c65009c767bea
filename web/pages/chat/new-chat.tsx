import { Flex, SimpleGrid, Text, Title, UnstyledButton } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconAlarm, IconBrain, IconCalculator, IconHelp } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { z } from 'zod'
import type { FilePart, NewConversation } from '../../../runtime/chat/schema.ts'
import { useRefresh } from '../../api/query.ts'
import { sendLater } from '../../app/outbox.ts'
import { useApi, useSession, useUnreachable } from '../../app/services.tsx'
import { useEnabledAgents } from '../../parts/agents.ts'
import { announceError } from '../../parts/announce.ts'
import classes from './chat.module.css'
import composerClasses from './composer.module.css'
import { Composer, type ComposerHandle } from './composer.tsx'
import { ListButton } from './header.tsx'
import type { Settings } from './pickers.tsx'
import { useSessions } from './sessions.tsx'

const starters = [
  { icon: IconHelp, text: 'What can you do for me?' },
  { icon: IconAlarm, text: 'Remind me tomorrow at 9:00 to water the plants' },
  { icon: IconBrain, text: 'Remember that I take my tea without sugar' },
  { icon: IconCalculator, text: 'How much is 15 % of 240?' },
] as const

/** The page before the conversation exists. */
export function NewChat({ openList }: { openList: () => void }) {
  useDocumentTitle('New chat · hearthd')
  const composer = useRef<ComposerHandle>(null)
  const { settings, change, start } = useNewChat()
  useMessageOfAddress({
    send: (text) =>
      start(text).catch((error: unknown) => {
        composer.current?.fill(text)
        throw error
      }),
    fill(text) {
      change({ execution_mode: 'approval_required' })
      composer.current?.fill(text)
    },
  })
  const greeting = useGreeting(settings.agent_id)
  return (
    <>
      <Flex flex="none" align="center" h="3rem" px={{ base: '0.6rem', sm: 'md' }}>
        <ListButton openList={openList} />
      </Flex>
      <Flex
        direction="column"
        justify="center"
        flex={1}
        w="100%"
        maw="48rem"
        mih={0}
        mx="auto"
        px="1.25rem"
        py="md"
        style={{ overflowY: 'auto' }}
      >
        <Title order={1} size="h2">
          What can I do for you?
        </Title>
        <Text c="dimmed" mt={4}>
          {greeting ?? 'Ask a question or give a task. The agent keeps working when you close this page.'}
        </Text>
        <SimpleGrid component="ul" className="plain" cols={{ base: 1, sm: 2 }} spacing="0.6rem" mt="1.5rem">
          {starters.map(({ icon: Icon, text }) => (
            <li key={text}>
              <UnstyledButton className={`card ${classes.starter}`} onClick={() => composer.current?.fill(text)}>
                <Icon size={18} stroke={1.7} aria-hidden />
                {text}
              </UnstyledButton>
            </li>
          ))}
        </SimpleGrid>
      </Flex>
      <div className={composerClasses.dock}>
        <Composer
          conversation={null}
          settings={settings}
          change={change}
          busy={false}
          send={(text, _, files) => start(text, files)}
          stop={() => undefined}
          handle={composer}
        />
      </div>
    </>
  )
}

/** The greeting of the agent; null until it has arrived. */
function useGreeting(agent_id: string | null): string | null {
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['welcome', agent_id],
    queryFn: ({ signal }) =>
      api.post('/api/chat/welcome', { body: agent_id ? { agent_id } : {}, signal }).then(({ message }) => message),
    enabled: agent_id !== null,
    retry: false,
  })
  return data?.content ?? null
}

function useNewChat() {
  const api = useApi()
  const offline = useUnreachable()
  const user = useSession()?.user_id
  const sessions = useSessions()
  const refresh = useRefresh()
  const [, navigate] = useLocation()
  const agents = useEnabledAgents()
  const [search] = useSearchParams()
  const [chosen, setChosen] = useState<Partial<Settings>>(() => agentOf(search))
  const agent = agents.find(({ id }) => id === chosen.agent_id) ?? agents[0]
  const settings: Settings = {
    mode: 'agent',
    model: null,
    execution_mode: agent?.execution_mode ?? 'approval_required',
    ...chosen,
    agent_id: agent?.id ?? null,
  }

  /** The conversation of a message that could not be sent; the next attempt uses it again. */
  const created = useRef<{ request: string; id: string } | null>(null)
  const start = async (text: string, files: FilePart[] = []) => {
    const { agent_id, execution_mode, ...others } = settings
    const body: z.input<typeof NewConversation> = {
      ...others,
      ...(agent_id ? { agent_id, execution_mode } : chosen.execution_mode && { execution_mode }),
    }
    if (offline)
      return sendLater({ conversation: null, settings: body, text, files: files.map(({ file_id }) => file_id), user })
    const request = JSON.stringify(body)
    if (created.current?.request !== request) {
      const { id } = await api.post('/api/chat/conversations', { body })
      created.current = { request, id }
    }
    const { id } = created.current
    await sessions.get(id).send(text, { files })
    navigate(`/chat/${id}`, { replace: true })
    void refresh('/api/chat/conversations')
  }
  return { settings, change: (changes: Partial<Settings>) => setChosen({ ...chosen, ...changes }), start }
}

/** `/chat?agent=…` starts with that agent. */
function agentOf(search: URLSearchParams): Partial<Settings> {
  const agent_id = search.get('agent')
  return agent_id ? { agent_id } : {}
}

interface MessageOfAddress {
  send(text: string): Promise<void>
  fill(text: string): void
}

/**
 * `/chat?message=…` sends the message if the link was followed inside the app. Any other link may come from somebody
 * else: then the message is filled in for the person to send, and the agent asks before it acts, whatever its own setting.
 */
function useMessageOfAddress({ send, fill }: MessageOfAddress): void {
  const [search] = useSearchParams()
  const message = search.get('message')?.trim()
  const started = useRef(false)
  const take = useEffectEvent((text: string) => {
    if (openedByAddress()) fill(text)
    else send(text).catch(announceError)
  })
  useEffect(() => {
    if (!message || started.current) return
    started.current = true
    take(message)
  }, [message])
}

function openedByAddress(): boolean {
  const [entry] = performance.getEntriesByType('navigation')
  return entry === undefined || entry.name === location.href
}
