import { ActionIcon, Menu } from '@mantine/core'
import { IconCopy, IconDots, IconDownload, IconStar, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Agent } from '../../api/agents.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { saveFile } from '../../parts/save-file.ts'

export function AgentMenu({ agent }: { agent: Agent }) {
  const [asked, setAsked] = useState(false)
  const { duplicate, makeDefault, remove, download } = useAgentActions(agent)
  return (
    <>
      <Menu position="bottom-end" width={180}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`More for ${agent.name}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => duplicate.mutate()}>
            Duplicate
          </Menu.Item>
          <Menu.Item leftSection={<IconDownload size={16} />} onClick={() => download.mutate()}>
            Export
          </Menu.Item>
          {!agent.is_default && (
            <>
              <Menu.Item leftSection={<IconStar size={16} />} onClick={() => makeDefault.mutate()}>
                Make default
              </Menu.Item>
              <Menu.Divider />
              <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => setAsked(true)}>
                Delete…
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <ConfirmByName
        name={asked ? agent.name : null}
        what="agent"
        pending={remove.isPending}
        confirm={() => remove.mutate(undefined, { onSettled: () => setAsked(false) })}
        close={() => setAsked(false)}
      >
        Its instructions and settings go away. Its conversations stay.
      </ConfirmByName>
    </>
  )
}

function useAgentActions(agent: Agent) {
  const api = useApi()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const refresh = () => queries.invalidateQueries({ queryKey: ['agents'] })
  const path = `/api/agents/${agent.id}`
  return {
    duplicate: useMutation({
      mutationFn: () => api.post<Agent>(`${path}/duplicate`),
      async onSuccess(copy) {
        await refresh()
        navigate(`/agents/${copy.id}`)
      },
    }),
    makeDefault: useMutation({ mutationFn: () => api.put(path, { is_default: true }), onSuccess: refresh }),
    remove: useMutation({
      mutationFn: () => api.remove(path),
      async onSuccess() {
        await refresh()
        announce(`${agent.name} was deleted`)
      },
    }),
    download: useMutation({
      mutationFn: async () =>
        saveFile(`${agent.name}.agent.json`, await (await api.raw('GET', `${path}/export`)).blob()),
    }),
  }
}
