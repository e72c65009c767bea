import { Anchor, Group, Progress, Text } from '@mantine/core'
import { Link } from 'wouter'
import { whole } from '../../../parts/numbers.ts'

interface SharesProps {
  counts: Record<string, number>
  /** What the shares are parts of: "of the memories". */
  what: string
  nameOf: (key: string) => string
  href?: (key: string) => string
  /** Without room around it. */
  flush?: boolean
}

/** The largest first, each as long as its share. */
export function Shares({ counts, what, nameOf, href, flush }: SharesProps) {
  const shares = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .toSorted(([, a], [, b]) => b - a)
  const total = shares.reduce((sum, [, count]) => sum + count, 0)
  return (
    <div style={flush ? {} : { padding: '0 1rem 0.5rem' }}>
      {shares.length === 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          Nothing yet
        </Text>
      )}
      {shares.map(([key, count]) => (
        <div key={key} style={{ marginBottom: 10 }}>
          <Group justify="space-between" wrap="nowrap" gap="xs">
            {href ? (
              <Anchor component={Link} href={href(key)} size="sm" underline="hover">
                {nameOf(key)}
              </Anchor>
            ) : (
              <Text size="sm">{nameOf(key)}</Text>
            )}
            <Text size="xs" c="dimmed">
              {whole(count)}
            </Text>
          </Group>
          <Progress size="sm" value={(count / total) * 100} aria-label={`${nameOf(key)}, share ${what}`} />
        </div>
      ))}
    </div>
  )
}
