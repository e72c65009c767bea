import { ActionIcon, Button, CopyButton as Copy, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'

interface CopyButtonProps {
  value: string
  /** Names what is copied, such as "API key". */
  what: string
  /** Shows a labelled button instead of an icon, where copying is the main action. */
  large?: boolean
}

export function CopyButton({ value, what, large }: CopyButtonProps) {
  return (
    <Copy value={value} timeout={1_500}>
      {({ copied, copy }) => {
        const icon = copied ? <IconCheck size={16} /> : <IconCopy size={16} />
        if (large)
          return (
            <Button variant="default" leftSection={icon} onClick={copy}>
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )
        return (
          <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
            <ActionIcon variant="subtle" color="gray" aria-label={`Copy ${what}`} onClick={copy}>
              {icon}
            </ActionIcon>
          </Tooltip>
        )
      }}
    </Copy>
  )
}
