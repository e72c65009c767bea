import { Zip, ZipDeflate } from 'fflate'
import type { Context } from '../context.ts'
import { badRequest, invalidField, notFound } from '../fault.ts'
import { cleanName, download, readForm, Sniffer } from '../files/index.ts'
import { type FileEntry, PathRefused } from '../ports/files.ts'
import { iso } from '../time.ts'
import { markTainted } from '../tools/store.ts'
import { textFiles } from '../tools/text-files.ts'
import { openRoot, projectRoot } from '../tools/workspace.ts'
import type { OutputFile, Project } from './schema.ts'
import { listTasks } from './task-store.ts'

type Owned = Pick<Project, 'id' | 'owner_id'> & Pick<Place, 'worktree'>

/** A project whose files are read where one of its tasks works. */
export interface Place extends Project {
  /** The root of the task's own copy; absent for the folder of the project. */
  worktree?: string | undefined
}

const rootOf = async (context: Context, { id, owner_id, worktree }: Owned) =>
  worktree ?? openRoot(context, projectRoot(id, owner_id))

/** Files of one project that are listed. */
const maxFiles = 5_000
/** Bytes of one upload. */
const maxUpload = 100 * 1024 * 1024

/** The texts of the project's files; see `textFiles`. */
export const projectTexts = async (context: Context, project: Owned, selection: Parameters<typeof textFiles>[2]) =>
  textFiles(context, await rootOf(context, project), selection)

/** Every file below the project's folder, by path, with the tasks that wrote it. */
export async function listOutputFiles(context: Context, project: Project): Promise<OutputFile[]> {
  const tasks = await listTasks(context, project.id)
  const writers = Map.groupBy(
    tasks.flatMap(({ id, outputs }) =>
      outputs.filter(({ kind }) => kind === 'file').map(({ value }) => ({ id, path: value })),
    ),
    ({ path }) => path,
  )
  return (await filesOf(context, project)).map(({ path, size_bytes, modified_at }) => ({
    path,
    size_bytes,
    modified_at,
    task_ids: (writers.get(path) ?? []).map(({ id }) => id),
  }))
}

/** The files below the project's folder, by path. */
export async function filesOf(context: Context, project: Owned): Promise<FileEntry[]> {
  const root = await rootOf(context, project)
  const files: FileEntry[] = []
  const folders = ['']
  for (let folder = folders.shift(); folder !== undefined && files.length < maxFiles; folder = folders.shift()) {
    const entries = await context.files.list(root, folder)
    files.push(...entries.filter(({ kind }) => kind === 'file'))
    folders.push(...entries.filter(({ kind }) => kind === 'folder').map(({ path }) => path))
  }
  return files.slice(0, maxFiles).sort((left, right) => left.path.localeCompare(right.path))
}

/** A file as a download that a browser never runs. A path that leaves the project's folder is a 400. */
export const rawFile = (context: Context, project: Project, path: string): Promise<Response> =>
  refusing(async () => {
    const root = await rootOf(context, project)
    const entry = await context.files.stat(root, path)
    const stream = entry?.kind === 'file' ? await context.files.readStream(root, path) : null
    if (!entry || !stream) throw notFound(`The file ${path}`)
    const head = (await context.files.read(root, path, { max_bytes: 4_096 })) ?? new Uint8Array()
    const name = path.slice(path.lastIndexOf('/') + 1)
    return download(stream, { name, type: await typeOf(head, path), size_bytes: entry.size_bytes })
  })

async function typeOf(head: Uint8Array, path: string): Promise<string> {
  const sniffer = new Sniffer()
  sniffer.take(head)
  const type = await sniffer.type(path)
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type
}

async function refusing<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (thrown) {
    if (thrown instanceof PathRefused)
      throw badRequest(`path is refused: ${thrown.message}; it must stay inside the project's folder`)
    throw thrown
  }
}

/** All files as one zip, produced while it is read: at no time is a whole file in memory. */
export async function zipOf(context: Context, project: Project): Promise<Response> {
  const entries = await filesOf(context, project)
  const pieces: Uint8Array[] = []
  const zip = new Zip((_, piece) => void (piece && pieces.push(piece)))
  const content = zipped(context, { project, entries, zip })
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (pieces.length === 0) {
        const { done } = await content.next()
        if (!done) continue
        for (const piece of pieces) controller.enqueue(piece)
        return controller.close()
      }
      for (const piece of pieces.splice(0)) controller.enqueue(piece)
    },
    async cancel() {
      await content.return()
      zip.terminate()
    },
  })
  const name = `${cleanName(project.name).replace(/(?<!\.)\.+$/, '')}.zip`
  return download(body, { name, type: 'application/zip' })
}

async function* zipped(
  context: Context,
  { project, entries, zip }: { project: Owned; entries: readonly FileEntry[]; zip: Zip },
): AsyncGenerator<void, void> {
  const root = await rootOf(context, project)
  for (const { path, modified_at } of entries) {
    const stream = await context.files.readStream(root, path)
    // Deleted meanwhile.
    if (!stream) continue
    const file = new ZipDeflate(path, { level: 6 })
    file.mtime = modified_at
    zip.add(file)
    for await (const piece of stream) {
      file.push(piece, false)
      yield
    }
    file.push(new Uint8Array(), true)
    yield
  }
  zip.end()
}

/** Streams the files of a form into the project's folder; the form field `path` names a folder for those after it. */
export const uploadFiles = (context: Context, project: Project, request: Request): Promise<OutputFile[]> =>
  refusing(async () => {
    const root = await rootOf(context, project)
    const stored: string[] = []
    let folder = ''
    for await (const part of readForm(request, maxUpload)) {
      if (part.filename === undefined) {
        const text = await textOf(part.bytes)
        if (part.name === 'path') folder = text.replace(/^\/+|\/+$/g, '')
        continue
      }
      const path = [folder, cleanName(part.filename)].filter(Boolean).join('/')
      // Again afterwards: a task may have replaced the file, and removed the mark, while this one arrived.
      const mark = markTainted(root, path, iso(context.clock.now()))
      await context.commit([mark])
      await context.files.writeStream(root, path, part.bytes)
      await context.commit([mark])
      stored.push(path)
    }
    if (stored.length === 0) throw invalidField('file', 'is required: send a form with at least one file')
    return (await listOutputFiles(context, project)).filter(({ path }) => stored.includes(path))
  })

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of bytes) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > 1_000) throw invalidField('path', 'must have at most 1000 characters')
  }
  return text.trim()
}

/** Removes the project's folder, unless it is a folder of the machine. */
export async function removeFiles(context: Context, project: Project): Promise<void> {
  if (project.path !== null) return
  const root = await rootOf(context, project)
  for (let files = await filesOf(context, project); files.length > 0; files = await filesOf(context, project)) {
    const removed = await Promise.all(files.map(({ path }) => context.files.remove(root, path)))
    if (!removed.includes(true)) return
  }
}
