import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import { IconCamera, IconDots, IconFileTypePdf, IconPhoto } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useApi } from '../../app/services.tsx'
import { announceError } from '../../parts/announce.ts'
import { saveFile } from '../../parts/save-file.ts'
import { useDesk } from './desk.tsx'

type Keep = 'view' | 'whole' | 'pdf'

/** What can be kept of the page: a picture of what is seen, of all of it, or a PDF. */
export function PageMenu() {
  const api = useApi()
  const { tab } = useDesk()
  const keep = useMutation({
    async mutationFn(what: Keep) {
      const of = tab ? { tab_id: tab.id } : {}
      const answer =
        what === 'pdf'
          ? await api.raw('GET', '/api/browser/pdf', { query: of })
          : await api.raw('POST', '/api/browser/screenshot', {
              body: { format: 'png', full_page: what === 'whole', ...of },
            })
      saveFile(`${nameOf(tab?.title ?? '')}.${what === 'pdf' ? 'pdf' : 'png'}`, await answer.blob())
    },
    meta: { shown: true },
    onError: announceError,
  })
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Tooltip label="Keep the page">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label="Keep the page"
            loading={keep.isPending}
          >
            <IconDots size={18} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconCamera size={16} />} onClick={() => keep.mutate('view')}>
          Picture of what is seen
        </Menu.Item>
        <Menu.Item leftSection={<IconPhoto size={16} />} onClick={() => keep.mutate('whole')}>
          Picture of the whole page
        </Menu.Item>
        <Menu.Item leftSection={<IconFileTypePdf size={16} />} onClick={() => keep.mutate('pdf')}>
          PDF
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

const nameOf = (title: string) =>
  title
    .replace(/[^\p{L}\d]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60) || 'page'
