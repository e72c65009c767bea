import { Badge, Button, Group, Select, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconHandClick, IconPlayerPlay, IconTerminal2 } from '@tabler/icons-react'
import { useState } from 'react'
import type { ConsoleLine } from '../../../runtime/ports/browser.ts'
import type { ActionName } from '../../../runtime/tabs/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { inputsOf } from '../../parts/form.tsx'
import { EmptyState, Loaded } from '../../parts/list.tsx'
import { whole } from '../../parts/numbers.ts'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import {
  type ActionField,
  type ActionValues,
  actionOf,
  emptyValues,
  fieldsOf,
  inputOf,
  targetOf,
  titleOf,
} from './action-fields.ts'
import classes from './browser.module.css'
import { useBrowser } from './context.tsx'
import type { LoggedAction } from './live-stream.ts'

/** A form for any action, and a log of the actions performed while this page is open. */
export function ActionsPanel() {
  const { actions } = useBrowser().live
  return (
    <>
      <ActionForm />
      <ol className={`plain ${classes.list}`} aria-label="Action log">
        {actions.map((action) => (
          <LogEntry key={action.key} entry={action} />
        ))}
        {actions.length === 0 && (
          <li>
            <EmptyState icon={<IconHandClick size={28} />} title="No actions yet">
              Actions by you, your agents and replays appear here while this page is open.
            </EmptyState>
          </li>
        )}
      </ol>
    </>
  )
}

function LogEntry({ entry }: { entry: LoggedAction }) {
  const { action, target, failure, duration_ms, by_person, at } = entry
  return (
    <li className={classes.entry}>
      <Group gap={6} justify="space-between" wrap="nowrap" align="flex-start">
        <span>
          <b>{titleOf(action.action)}</b> {targetOf(action, target)} <i>{inputOf(action)}</i>
        </span>
        {failure && <Badge color="red">{failure}</Badge>}
      </Group>
      <Hint>
        <Time at={at} /> · {whole(Math.round(duration_ms))} ms{by_person && ' · by a person'}
      </Hint>
    </li>
  )
}

const names = (Object.keys(fieldsOf) as ActionName[]).map((value) => ({ value, label: titleOf(value) }))

type Form = ReturnType<typeof useForm<ActionValues>>

function ActionForm() {
  const { act, acting } = useBrowser()
  const [name, setName] = useState<ActionName>('click')
  const form = useForm<ActionValues>({ initialValues: emptyValues })
  return (
    <form aria-label="Run an action" onSubmit={form.onSubmit((values) => act(actionOf(name, values)))}>
      <Stack gap="xs" p="sm">
        <Select
          size="xs"
          label="Action"
          data={names}
          value={name}
          allowDeselect={false}
          searchable
          onChange={(next) => next && setName(next)}
        />
        {fieldsOf[name].map((field) => (
          <Field key={field} field={field} form={form} />
        ))}
        <Group justify="flex-end">
          <Button type="submit" size="xs" loading={acting !== null} leftSection={<IconPlayerPlay size={14} />}>
            Run
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const element = 'Number such as 12, or selector such as #save or text=Save'

const texts = {
  element: { label: 'Element', placeholder: element },
  to: { label: 'Drop on', placeholder: element },
  url: { label: 'URL', placeholder: 'https://…' },
  text: { label: 'Text', placeholder: '' },
  value: { label: 'Option', placeholder: '' },
  key: { label: 'Key', placeholder: 'Enter, Control+A' },
}

function Field({ field, form }: { field: ActionField; form: Form }) {
  const { text, number, toggle } = inputsOf(form, { size: 'xs' })
  if (field === 'accept') return toggle('accept', 'Accept the dialog')
  if (field === 'deltas')
    return (
      <Group grow gap="xs">
        {number('delta_x', 'Right', { suffix: ' px' })}
        {number('delta_y', 'Down', { suffix: ' px' })}
      </Group>
    )
  const { label, placeholder } = texts[field]
  return text(field, label, { placeholder, autoComplete: 'off', spellCheck: false })
}

const colors: Record<string, string> = { error: 'red', warning: 'yellow' }

/** The consoles of all pages, newest first. */
export function ConsolePanel() {
  const query = useEndpoint('/api/browser/console', { query: { limit: 300 } })
  return (
    <Loaded query={query} what="The console">
      {({ messages }) =>
        messages.length === 0 ? (
          <EmptyState icon={<IconTerminal2 size={28} />} title="No console messages yet" />
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list is scrolled with the keyboard
          <ol className={`plain ${classes.list}`} tabIndex={0} aria-label="Console">
            {messages.toReversed().map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: messages have no ID, and the number counts from the oldest
              <Line key={`${line.at} ${messages.length - index}`} line={line} />
            ))}
          </ol>
        )
      }
    </Loaded>
  )
}

const Line = ({ line: { level, text, url, at } }: { line: ConsoleLine }) => (
  <li className={classes.entry}>
    <Text component="pre" m={0} fz="xs" ff="monospace" className="verbatim">
      {text}
    </Text>
    <Hint>
      <Badge size="xs" color={colors[level] ?? 'gray'}>
        {level}
      </Badge>{' '}
      <Time at={at} /> {url && `· ${url}`}
    </Hint>
  </li>
)
