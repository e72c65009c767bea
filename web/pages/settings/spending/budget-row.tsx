import { Badge, Button, Group, Progress, Text } from '@mantine/core'
import type { Budget } from '../../../api/monitoring.ts'
import { money, whole } from '../../../parts/numbers.ts'
import { Time } from '../../../parts/time.tsx'
import { actions, windows } from './labels.ts'

interface BudgetRowProps {
  budget: Budget
  /** Of what it holds back. */
  name: string
  edit: () => void
  /** Lets a paused one go on. */
  resume: () => void
}

export function BudgetRow({ budget, name, edit, resume }: BudgetRowProps) {
  const { window, action, paused, used_pct, resets_at } = budget
  const warned = budget.warn_pct.some((percent) => used_pct >= percent)
  return (
    <article className="row" style={{ flexWrap: 'wrap' }} aria-label={`${name}, ${windows[window].each}`}>
      <div className="words">
        <Group gap={6}>
          <Text fw={500}>{name}</Text>
          {paused && (
            <Badge size="sm" variant="light" color="red">
              Paused
            </Badge>
          )}
        </Group>
        <Progress
          my={6}
          value={Math.min(100, used_pct)}
          color={used_pct >= 100 ? 'red' : warned ? 'yellow' : 'teal'}
          aria-label={`Used of the budget of ${name}`}
        />
        <Text size="xs" c="dimmed" component="div">
          {usedOf(budget)} {windows[window].each} · {used_pct} % · {actions[action].label.toLowerCase()}
          {resets_at && (
            <>
              {' '}
              · begins anew <Time at={resets_at} />
            </>
          )}
        </Text>
      </div>
      <Group gap="xs">
        {paused && (
          <Button size="xs" onClick={resume}>
            Let it go on
          </Button>
        )}
        <Button size="xs" variant="default" onClick={edit}>
          Edit
        </Button>
      </Group>
    </article>
  )
}

function usedOf({ used, limit_usd, limit_tokens }: Budget): string {
  const parts = [
    limit_usd === null ? null : `${money(used.usd)} of ${money(limit_usd)}`,
    limit_tokens === null ? null : `${whole(used.tokens)} of ${whole(limit_tokens)} tokens`,
  ]
  return parts.filter((part) => part !== null).join(', ')
}
