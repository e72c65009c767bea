import { Badge, Text } from '@mantine/core'
import { IconTerminal2 } from '@tabler/icons-react'
import type { ConsoleLine } from '../../../runtime/ports/browser.ts'
import { useEndpoint } from '../../api/query.ts'
import { EmptyState, Loaded } from '../../parts/list.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import classes from './browser.module.css'

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
