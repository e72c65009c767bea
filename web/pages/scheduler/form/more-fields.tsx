import { Collapse, Stack, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { ConditionFields } from './condition-fields.tsx'
import { DeliveryFields } from './delivery-fields.tsx'
import type { Fields } from './draft.ts'
import { FailureFields } from './failure-fields.tsx'
import { LimitFields } from './limit-fields.tsx'

/** Whether the field of a refusal is one of these. */
export const isOfMore = (path: string): boolean =>
  /^(condition|delivery|retry|misfire|overlap|jitter|timeout|max_runs|ends_at|auto_pause|budget)/.test(path)

interface MoreFieldsProps extends Fields {
  opened: boolean
  toggle: () => void
}

export function MoreFields({ opened, toggle, ...fields }: MoreFieldsProps) {
  const Icon = opened ? IconChevronDown : IconChevronRight
  return (
    <div>
      <UnstyledButton onClick={toggle} aria-expanded={opened} fz="sm" fw={550}>
        <Icon size={16} aria-hidden style={{ verticalAlign: '-3px' }} /> More: conditions, delivery, retries,
        limits
      </UnstyledButton>
      <Collapse expanded={opened}>
        {opened && (
          <Stack mt="sm">
            <DeliveryFields {...fields} />
            <ConditionFields {...fields} />
            <FailureFields {...fields} />
            <LimitFields {...fields} />
          </Stack>
        )}
      </Collapse>
    </div>
  )
}
