import { Box, Button, FileButton, Flex, Group, Text, UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconCloudUpload, IconDownload, IconFiles, IconSearch, IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import type { StoredFile } from '../../../runtime/files/schema.ts'
import { usePages } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { IconButton } from '../../parts/buttons.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { UploadChip } from '../../parts/files/chips.tsx'
import { useDrop } from '../../parts/files/drop.ts'
import { Thumbnail, useDownload } from '../../parts/files/thumbnail.tsx'
import { useUploads } from '../../parts/files/uploads.ts'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, List, SkeletonRows } from '../../parts/list.tsx'
import { byteSize } from '../../parts/numbers.ts'
import { PageHeader, Panel } from '../../parts/page.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import classes from './files.module.css'

const Preview = lazily(() => import('../../parts/files/preview.tsx'), 'Preview')

/** Everything that was uploaded, here or in a chat. Files can be dropped anywhere on the page. */
export function Files() {
  const [search, setSearch] = useState('')
  const [wanted] = useDebouncedValue(search.trim(), 250)
  const query = usePages('/api/files', { query: { search: wanted } })
  const uploads = useUploads('general')
  const { over, handlers } = useDrop(uploads.add)
  const unfinished = uploads.items.filter(({ file }) => !file)
  return (
    <Box className="page" pos="relative" mih="100%" {...handlers}>
      <PageHeader title="Files" description="Your uploads, and the files you sent in chats.">
        <ChooseButton add={uploads.add} />
      </PageHeader>
      {unfinished.length > 0 && (
        <Panel title="Uploading">
          <Flex component="ul" className="plain" wrap="wrap" gap="0.5rem" px="md" pb="md">
            {unfinished.map((item) => (
              <UploadChip key={item.key} item={item} remove={() => uploads.remove(item.key)} />
            ))}
          </Flex>
        </Panel>
      )}
      <SearchField
        maw="24rem"
        my="md"
        what="Search files by name"
        placeholder="Search by name"
        data-search
        value={search}
        change={setSearch}
      />
      <section className="card" aria-label="All files">
        <List
          query={query}
          what="Files"
          items="files"
          empty={<Nothing search={wanted} add={uploads.add} />}
          skeleton={<SkeletonRows count={6} height={56} />}
        >
          {(file) => <FileRow key={file.id} file={file} />}
        </List>
      </section>
      {over && (
        <div className={classes.over}>
          <IconCloudUpload size={40} stroke={1.4} aria-hidden />
          <Text fw={600}>Drop to upload</Text>
        </div>
      )}
    </Box>
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

function Nothing({ search, add }: { search: string; add: (files: File[]) => void }) {
  if (search)
    return (
      <EmptyState icon={<IconSearch size={28} />} title="No matching files">
        No file name contains “{search}”.
      </EmptyState>
    )
  return (
    <EmptyState icon={<IconFiles size={28} />} title="No files yet" action={<ChooseButton add={add} />}>
      Drop files anywhere on this page, or choose them. Files that you attach in a chat appear here too.
    </EmptyState>
  )
}

function FileRow({ file }: { file: StoredFile }) {
  const [opened, setOpened] = useState(false)
  const download = useDownload()
  const { id, name, mime_type, size_bytes } = file
  const remove = useChange((api) => api.delete('/api/files/{id}', { params: { id } }), {
    stale: ['/api/files'],
    done: () => announce(`${name} was deleted`),
  })
  return (
    <article className="row" aria-label={name}>
      <Thumbnail id={id} mime_type={mime_type} size_bytes={size_bytes} />
      <div className="grow">
        <UnstyledButton className={classes.name} onClick={() => setOpened(true)}>
          {name}
        </UnstyledButton>
        <Hint truncate>
          {byteSize(size_bytes)} · <Time at={file.created_at} />
          {file.purpose === 'chat' && ' · from a chat'}
        </Hint>
      </div>
      <Group gap={4} wrap="nowrap">
        <IconButton
          label={`Download ${name}`}
          icon={IconDownload}
          loading={download.isPending}
          onClick={() => download.mutate(file)}
        />
        <DeleteButton what={name} remove={remove} />
      </Group>
      {opened && <Preview file={file} close={() => setOpened(false)} />}
    </article>
  )
}
