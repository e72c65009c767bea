import { Button, FileButton, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconCloudUpload, IconFiles, IconSearch, IconUpload } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { filesQuery } from '../../api/files.ts'
import { useApi } from '../../app/services.tsx'
import { UploadChip } from '../../parts/files/upload-chip.tsx'
import { useDrop } from '../../parts/files/use-drop.ts'
import { useUploads } from '../../parts/files/use-uploads.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ShowMore } from '../../parts/show-more.tsx'
import { EmptyState, SkeletonRows } from '../../parts/states.tsx'
import { FileRow } from './file-row.tsx'
import classes from './files.module.css'

/** Everything that was uploaded, here or in a chat. Files can be dropped anywhere on the page. */
export function Files() {
  const [search, setSearch] = useState('')
  const [wanted] = useDebouncedValue(search.trim(), 250)
  const query = useInfiniteQuery(filesQuery(useApi(), wanted))
  const uploads = useUploads('general')
  const { over, handlers } = useDrop(uploads.add)
  const shown = uploads.items.filter(({ file }) => !file)
  return (
    <div className={`page ${classes.page}`} {...handlers}>
      <PageHeader title="Files" description="What you uploaded, and what you sent along in chats.">
        <ChooseButton add={uploads.add} />
      </PageHeader>
      {shown.length > 0 && (
        <Panel title="Uploading">
          <ul className={classes.uploads}>
            {shown.map((item) => (
              <UploadChip key={item.key} item={item} remove={() => uploads.remove(item.key)} />
            ))}
          </ul>
        </Panel>
      )}
      <TextInput
        className={classes.search}
        aria-label="Search files by name"
        placeholder="Search by name"
        leftSection={<IconSearch size={16} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <section className="card" aria-label="All files">
        <Loaded query={query} what="Files" skeleton={<SkeletonRows count={6} height={56} />}>
          {({ pages }) => {
            const files = pages.flatMap((page) => page.files)
            if (files.length === 0) return <Nothing searched={wanted} add={uploads.add} />
            return files.map((file) => <FileRow key={file.id} file={file} />)
          }}
        </Loaded>
        <ShowMore query={query} />
      </section>
      {over && (
        <div className={classes.over}>
          <IconCloudUpload size={40} stroke={1.4} aria-hidden />
          <Text fw={600}>Drop to upload</Text>
        </div>
      )}
    </div>
  )
}

function ChooseButton({ add }: { add: (files: File[]) => void }) {
  return (
    <FileButton multiple onChange={add}>
      {(props) => (
        <Button leftSection={<IconUpload size={16} />} {...props}>
          Upload
        </Button>
      )}
    </FileButton>
  )
}

function Nothing({ searched, add }: { searched: string; add: (files: File[]) => void }) {
  if (searched)
    return (
      <EmptyState icon={<IconSearch size={28} />} title="No file has that name">
        Nothing here is called “{searched}”.
      </EmptyState>
    )
  return (
    <EmptyState icon={<IconFiles size={28} />} title="No files yet" action={<ChooseButton add={add} />}>
      Drop files anywhere on this page, or choose them. What you attach in a chat appears here too.
    </EmptyState>
  )
}
