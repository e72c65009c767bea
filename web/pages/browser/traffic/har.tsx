import { Button } from '@mantine/core'
import { IconFileDownload, IconPlayerRecord } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../../app/services.tsx'
import { announce } from '../../../parts/announce.ts'
import { saveFile } from '../../../parts/save-file.ts'

const harKey = ['browser-har']

/** An archive of what pages load, for the tools that read HAR. Credentials in it are blanked. */
export function HarTools() {
  const api = useApi()
  const queries = useQueryClient()
  // Whether one runs is known to whoever began it.
  const { data: runs = false } = useQuery<boolean>({
    queryKey: harKey,
    enabled: false,
    initialData: false,
    gcTime: Number.POSITIVE_INFINITY,
  })
  const start = useMutation({
    mutationFn: () => api.post('/api/browser/har/start'),
    onSuccess: () => queries.setQueryData(harKey, true),
  })
  const stop = useMutation({
    mutationFn: async () => (await api.raw('POST', '/api/browser/har/stop')).blob(),
    onSuccess(archive) {
      saveFile('browser.har', archive)
      announce('The archive is saved')
    },
    onSettled: () => queries.setQueryData(harKey, false),
  })
  if (runs)
    return (
      <Button
        size="xs"
        color="red"
        leftSection={<IconFileDownload size={15} />}
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
