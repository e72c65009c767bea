import { ActionIcon, Tooltip, UnstyledButton } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { Tab } from '../../api/browser.ts'
import { useApi } from '../../app/services.tsx'
import classes from './browser.module.css'
import { useDesk } from './desk.tsx'

const nameOf = ({ title, url }: Tab) => title || url.replace(/^https?:\/\//, '') || 'New tab'

export function TabStrip() {
  const api = useApi()
  const tabs = useDesk().live.state?.tabs ?? []
  const add = useMutation({ mutationFn: () => api.post('/api/browser/tabs', {}) })
  const close = useMutation({ mutationFn: (id: string) => api.remove(`/api/browser/tabs/${id}`) })
  const choose = useMutation({ mutationFn: (id: string) => api.put(`/api/browser/tabs/${id}/activate`, {}) })
  return (
    <nav className={classes.tabs} aria-label="Tabs">
      {tabs.map((tab) => (
        <div key={tab.id} className={classes.tab} data-active={tab.active || undefined}>
          <UnstyledButton
            className={classes.tabName}
            aria-current={tab.active ? 'page' : undefined}
            onClick={() => choose.mutate(tab.id)}
          >
            {nameOf(tab)}
          </UnstyledButton>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Close the tab ${nameOf(tab)}`}
            loading={close.isPending && close.variables === tab.id}
            onClick={() => close.mutate(tab.id)}
          >
            <IconX size={14} />
          </ActionIcon>
        </div>
      ))}
      <Tooltip label="New tab">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="New tab"
          loading={add.isPending}
          onClick={() => add.mutate()}
        >
          <IconPlus size={17} />
        </ActionIcon>
      </Tooltip>
    </nav>
  )
}
