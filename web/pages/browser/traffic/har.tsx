import { Button } from '@mantine/core'
import { IconFileDownload, IconPlayerRecord } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { statusQuery } from '../../../api/browser.ts'
import { useApi } from '../../../app/services.tsx'
import { announce } from '../../../parts/announce.ts'
import { counted } from '../../../parts/numbers.ts'
import { saveFile } from '../../../parts/save-file.ts'
import { useDesk } from '../desk.tsx'

/** An archive of what pages load, for the tools that read HAR. Credentials in it are blanked. */
export function HarTools() {
  const api = useApi()
  const queries = useQueryClient()
  const { live } = useDesk()
  const status = useQuery(statusQuery(api))
  const har = live.state ? live.state.har : status.data?.har
  const fresh = () => queries.invalidateQueries({ queryKey: statusQuery(api).queryKey })
  const start = useMutation({ mutationFn: () => api.post('/api/browser/har/start'), onSettled: fresh })
  const stop = useMutation({
    mutationFn: async () => (await api.raw('POST', '/api/browser/har/stop')).blob(),
    onSuccess(archive) {
      saveFile('browser.har', archive)
      announce('The archive is saved')
    },
    onSettled: fresh,
  })
  if (har)
    return (
      <Button
        size="xs"
        color="red.9"
        leftSection={<IconFileDownload size={15} />}
        title={counted(har.entries, 'request', 'requests')}
        loading={stop.isPending}
        onClick={() => stop.mutate()}
      >
        Stop and save HAR
      </Button>
    )
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconPlayerRecord size={15} />}
      loading={start.isPending}
      onClick={() => start.mutate()}
    >
      Record HAR
    </Button>
  )
}
