import { Button, Skeleton } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ScreenRecording } from '../../../api/browser.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { saveFile } from '../../../parts/save-file.ts'
import classes from '../browser.module.css'

/** A player cannot send a credential, so the film is read whole first. */
export function FilmPlayer({ film: { recording_id, format } }: { film: ScreenRecording }) {
  const api = useApi()
  const content = useQuery({
    queryKey: ['browser-film', recording_id],
    queryFn: async ({ signal }) =>
      (await api.raw('GET', `/api/browser/screen-recordings/${recording_id}/content`, { signal })).blob(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
  return (
    <div style={{ flexBasis: '100%' }}>
      <Loaded query={content} what="The film" skeleton={<Skeleton height={180} />}>
        {(film) => (
          <>
            <Video film={film} />
            <Button
              size="compact-xs"
              variant="default"
              leftSection={<IconDownload size={14} />}
              onClick={() => saveFile(`film.${format ?? 'webm'}`, film)}
            >
              Save the film
            </Button>
          </>
        )}
      </Loaded>
    </div>
  )
}

function Video({ film }: { film: Blob }) {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(film)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [film])
  // biome-ignore lint/a11y/useMediaCaption: nothing is said in it
  return <video className={classes.film} src={address} controls aria-label="Film of the browser" />
}
