import { spawn } from 'node:child_process'
import { lstat, mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { KeyedLock } from '../../runtime/keyed-lock.ts'
import { readRoot } from '../../runtime/paths.ts'
import { type ChangedFile, type Repositories, RepositoryError } from '../../runtime/ports/repositories.ts'
import { findProgram, pathFolders } from '../process/programs.ts'

interface RunOptions {
  /** Default: the repository of ours. */
  cwd: string
  env?: Record<string, string>
  stdin?: string
  /** Exit codes besides 0 that are no failure. */
  allowed?: readonly number[]
}

/** Settings that win over those of every repository: nothing of it is run, and contents are kept as they are. */
const settings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.autocrlf=false',
  'core.fileMode=false',
  'core.quotePath=false',
  'commit.gpgSign=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'protocol.allow=never',
  'merge.conflictStyle=merge',
]

const attributes = '* -text -eol -filter -ident -working-tree-encoding !merge\n'

const person = { NAME: 'hearthd', EMAIL: 'hearthd@localhost' }

/** The first version whose `merge-tree` writes trees. */
const [minMajor, minMinor] = [2, 38]

/** Repositories and checked-out states below `folder`, which is that of the port `files`. */
export function createRepositories(folder: string): Repositories {
  const locks = new KeyedLock()
  let usable: Promise<boolean> | null = null
  const pathOf = (id: string) => join(folder, 'repositories', ...readRoot(id))
  const placeOf = (root: string) => join(folder, ...readRoot(root))

  /** Runs alone with a repository of ours, which is created if it is missing. */
  const within = <Result>(id: string, run: (repository: string) => Promise<Result>): Promise<Result> =>
    locks.run(id, async () => {
      const path = pathOf(id)
      await mkdir(path, { recursive: true, mode: 0o700 })
      if (!(await lstat(join(path, 'info', 'attributes')).catch(() => null))) {
        await git(['init', '-q', '--bare', path], { cwd: path })
        await mkdir(join(path, 'info'), { recursive: true })
        await writeFile(join(path, 'info', 'attributes'), attributes)
      }
      await removeLocks(path)
      return run(path)
    })

  async function isUsable(): Promise<boolean> {
    if (!findProgram(['git'])) return false
    const [, major = 0, minor = 0] = (
      /(\d{1,5})\.(\d{1,5})/.exec(await text(['--version'], { cwd: folder })) ?? []
    ).map(Number)
    return major > minMajor || (major === minMajor && minor >= minMinor)
  }

  return {
    async isRepository(path) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      usable ??= isUsable().catch(() => false)
      if (!(await usable)) return false
      const top = await text(['rev-parse', '--show-toplevel'], outside(path)).catch(() => '')
      return top !== '' && (await realpath(top).catch(() => '')) === (await realpath(path).catch(() => null))
    },

    snapshot: (id, path, including) =>
      within(id, async (repository) => {
        const listed = await names(['ls-files', '-z', '-co', '--exclude-standard', '--deduplicate'], outside(path))
        const options = workTree(repository, path, 'folder')
        const tree = ['ls-tree', '-r', '-z', '--name-only', '--full-tree']
        const also = including ? await names([...tree, including], options) : []
        const files = await existing(path, [...new Set([...listed, ...also])])
        const known = new Set(files)
        return withIndex(options, async () => {
          const gone = (await names(['ls-files', '-z'], options)).filter((name) => !known.has(name))
          const remove = ['update-index', '-z', '--force-remove', '--stdin']
          await git(remove, { ...options, stdin: joined(gone) })
          const add = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin']
          await git(add, { ...options, stdin: joined(files) })
          return text(['write-tree'], options)
        })
      }),

    checkout: (id, root, state) =>
      within(id, async (repository) => {
        const path = placeOf(root)
        const options = workTree(repository, path, root)
        await mkdir(path, { recursive: true, mode: 0o700 })
        await withIndex(options, async () => {
          // The index then names everything that is there, so that what the state does not have is removed.
          await git(['add', '-A', '-f', '--', '.'], options)
          await git(['read-tree', '--reset', '-u', state], options)
        })
      }),

    store: (id, root) =>
      within(id, async (repository) => {
        const path = placeOf(root)
        if (!(await lstat(path).catch(() => null))) throw new RepositoryError('The copy of the folder is gone')
        const options = workTree(repository, path, root)
        return withIndex(options, async () => {
          await git(['add', '-A', '-f', '--', '.'], options)
          return text(['write-tree'], options)
        })
      }),

    merge: (id, { base, others, yours }) =>
      within(id, async (repository) => {
        const options = bare(repository)
        const commit = async (tree: string, parent?: string) =>
          text(['commit-tree', '-m', 'state', ...(parent ? ['-p', parent] : []), tree], options)
        const root = await commit(base)
        // The names of the branches are in the marks.
        for (const [name, tree] of [
          ['others', others],
          ['yours', yours],
        ] as const)
          await git(['update-ref', `refs/heads/${name}`, await commit(tree, root)], options)
        const merge = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', 'others', 'yours']
        const [state = '', ...conflicts] = await names(merge, { ...options, allowed: [1] })
        return { state, conflicts: [...new Set(conflicts)] }
      }),

    changes: (id, from, to) =>
      within(id, async (repository) => {
        const diff = ['diff-tree', '-r', '-z', '--no-renames', '--raw', from, to]
        return changesIn(await names(diff, bare(repository)))
      }),

    read: (id, content) => within(id, (repository) => git(['cat-file', 'blob', content], bare(repository))),

    commit: (id, state, message) =>
      within(id, async (repository) => {
        const options = bare(repository)
        const last = await text(['rev-parse', '-q', '--verify', 'refs/heads/main'], {
          ...options,
          allowed: [1],
        })
        if (last && (await text(['rev-parse', `${last}^{tree}`], options)) === state) return
        const parent = last ? ['-p', last] : []
        const next = await text(['commit-tree', ...parent, '-m', message, state], options)
        await git(['update-ref', 'refs/heads/main', next], options)
      }),

    remove: (id) => locks.run(id, () => rm(pathOf(id), { recursive: true, force: true })),
  }
}

const outside = (path: string): RunOptions => ({ cwd: path, env: { GIT_CEILING_DIRECTORIES: '' } })

const bare = (repository: string) => ({ cwd: repository, env: { GIT_DIR: repository } })

const workTree = (repository: string, path: string, name: string) => ({
  cwd: path,
  env: {
    GIT_DIR: repository,
    GIT_WORK_TREE: path,
    GIT_INDEX_FILE: join(repository, `${name.replaceAll('/', '-')}.index`),
  },
})

/** Runs again without the index, which only saves time, if git fails: a power cut may have broken it. */
async function withIndex<Result>({ env }: ReturnType<typeof workTree>, run: () => Promise<Result>) {
  try {
    return await run()
  } catch (thrown) {
    if (!(thrown instanceof RepositoryError)) throw thrown
    await rm(env.GIT_INDEX_FILE, { force: true })
    return run()
  }
}

/** What a process that was killed has left; this process works alone here. */
async function removeLocks(repository: string): Promise<void> {
  for (const place of [repository, join(repository, 'refs', 'heads')])
    for (const name of await readdir(place).catch(() => []))
      if (name.endsWith('.lock')) await rm(join(place, name), { force: true })
}

/** Of these names, files and links that are there; repositories within end with a slash or are folders. */
async function existing(folder: string, listed: readonly string[]): Promise<string[]> {
  const files: string[] = []
  for (const name of listed) {
    const entry = name.endsWith('/') ? null : await lstat(join(folder, name)).catch(() => null)
    if (entry?.isFile() || entry?.isSymbolicLink()) files.push(name)
  }
  return files
}

const isFile = (mode: string | undefined) => mode?.startsWith('100') === true

/** https://git-scm.com/docs/git-diff-tree, raw output: a line of modes and ids, then the path. */
function changesIn(fields: readonly string[]): ChangedFile[] {
  const changes: ChangedFile[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode, newMode, before = '', after = ''] = (fields[at] ?? '').slice(1).split(' ')
    const change = {
      path: fields[at + 1] ?? '',
      before: isFile(oldMode) ? before : null,
      after: isFile(newMode) ? after : null,
    }
    if (change.before !== change.after) changes.push(change)
  }
  return changes
}

const joined = (paths: readonly string[]) => paths.map((path) => `${path}\0`).join('')

async function text(args: readonly string[], options: RunOptions): Promise<string> {
  return new TextDecoder().decode(await git(args, options)).trim()
}

async function names(args: readonly string[], options: RunOptions): Promise<string[]> {
  return new TextDecoder()
    .decode(await git(args, options))
    .split('\0')
    .filter(Boolean)
}

/** Runs git without a shell, the person's settings, prompts and pagers. Returns what it wrote. */
async function git(args: readonly string[], { cwd, env = {}, stdin = '', allowed = [] }: RunOptions) {
  const program = findProgram(['git'])
  if (!program) throw new RepositoryError('git is not installed')
  const all = [...settings, `safe.directory=${cwd}`].flatMap((setting) => ['-c', setting])
  const child = spawn(program, [...all, ...args], {
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: pathFolders().join(':'),
      HOME: process.env.HOME,
      LC_ALL: 'C',
      GIT_CONFIG_GLOBAL: devNull,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
      ...Object.fromEntries(
        ['AUTHOR', 'COMMITTER'].flatMap((role) =>
          Object.entries(person).map(([field, value]) => [`GIT_${role}_${field}`, value]),
        ),
      ),
      ...env,
    },
  })
  const [output, errors]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on('data', (piece: Buffer) => void output.push(piece))
  child.stderr.on('data', (piece: Buffer) => void errors.push(piece))
  // It may end before it has read everything.
  child.stdin.on('error', () => undefined).end(stdin)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', ({ message }) => reject(new RepositoryError(`git did not start: ${message}`)))
    child.on('close', resolve)
  })
  if (code === 0 || (code !== null && allowed.includes(code))) return new Uint8Array(Buffer.concat(output))
  const reason = Buffer.concat(errors).toString().trim().split('\n')[0]?.slice(0, 300)
  throw new RepositoryError(`git ${args[0]} failed: ${reason || `exit code ${code}`}`)
}
