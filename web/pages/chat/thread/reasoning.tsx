import { UnstyledButton } from '@mantine/core'
import { IconBulb, IconChevronRight } from '@tabler/icons-react'
import { useId, useState } from 'react'
import classes from './thread.module.css'

interface ReasoningProps {
  text: string
  /** Still being thought. */
  open: boolean
}

/** What the model thought. Closed unless asked for, so that it does not push the answer away. */
export function Reasoning({ text, open }: ReasoningProps) {
  const [opened, setOpened] = useState(false)
  const content = useId()
  return (
    <div className={classes.reasoning} data-part="reasoning">
      <UnstyledButton
        className={classes.reasoningHead}
        aria-expanded={opened}
        aria-controls={content}
        onClick={() => setOpened(!opened)}
      >
        <IconBulb size={16} aria-hidden />
        <span data-shimmer={open || undefined}>{open ? 'Thinking…' : 'Thought about it'}</span>
        <IconChevronRight
          size={14}
          className={classes.chevron}
          data-opened={opened || undefined}
          aria-hidden
        />
      </UnstyledButton>
      <div id={content} hidden={!opened} className={classes.reasoningText}>
        {text}
      </div>
    </div>
  )
}
