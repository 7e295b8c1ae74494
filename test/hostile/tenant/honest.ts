/** The work of the honest tenant during an attack, and the time that each request takes. */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { git } from '../../support/hermetic-git.js'
import type { Place } from './place.js'

export const TASKS = ['read', 'push', 'sync', 'mail'] as const
export type Task = (typeof TASKS)[number]

/** Durations in milliseconds, and the failures. */
export interface Experience {
  times: number[]
  failures: string[]
}
export type Experiences = Record<Task, Experience>

/** Pause between two tasks of a kind, in milliseconds. */
const PAUSE_MS: Record<Task, number> = { read: 50, push: 500, sync: 500, mail: 500 }
/** A task that takes longer counts as a failure. */
const PATIENCE_MS = 60_000

/** Prepares the tasks. Each call runs a task once. */
export async function honestTenant(place: Place): Promise<Record<Task, () => Promise<void>>> {
  const { honest, organization, dir, remotes, smtp } = place
  const space = async (): Promise<string> =>
    (await honest.must('POST', `/v1/orgs/${organization}/spaces`, { title: 'Honest' })).id
  const [read, pushed, synced] = [await space(), await space(), await space()]
  const { pages } = await honest.must('GET', `/v1/spaces/${read}/content/pages`)
  const work = await mkdtemp(join(dir, 'honest-'))
  await git(dir, ['clone', '--quiet', place.addressOf(pushed, honest), work])
  const remote = await remotes.createRepository('honest.git', { files: { 'README.md': '# Honest\n' } })
  let count = 0
  return {
    read: () => honest.must('GET', `/v1/spaces/${read}/content/page/${pages[0].id}`),
    push: async () => {
      await writeFile(join(work, 'README.md'), `# Honest ${++count}\n`)
      await git(work, ['commit', '--quiet', '-am', 'Edit'])
      await git(work, ['push', '--quiet', 'origin', 'HEAD:main'])
    },
    sync: async () => {
      await remote.commit({ 'README.md': `# Honest ${++count}\n` })
      await honest.must('POST', `/v1/spaces/${synced}/git/import`, { url: remote.url, ref: 'refs/heads/main' })
      for (;;) {
        const { state, error } = await honest.must('GET', `/v1/spaces/${synced}/git/info`)
        if (state === 'success') return
        if (state === 'failure') throw new Error(error)
        await wait(20)
      }
    },
    mail: async () => {
      const email = `reader-${++count}@honest.example`
      await honest.must('POST', `/v1/orgs/${organization}/invites`, { emails: [email] })
      await smtp.mailTo(email)
    },
  }
}

/** Repeats every task until `over` is aborted. */
export async function live(tasks: Record<Task, () => Promise<void>>, over: AbortSignal): Promise<Experiences> {
  const lane = async (task: Task): Promise<[Task, Experience]> => {
    const experience: Experience = { times: [], failures: [] }
    while (!over.aborted) {
      const started = performance.now()
      const late = wait(PATIENCE_MS, 'late', { ref: false })
      const outcome = await Promise.race([
        tasks[task]().then(
          () => null,
          (error: Error) => error.message,
        ),
        late,
      ])
      if (outcome !== null) experience.failures.push(`${task}: ${outcome}`)
      experience.times.push(performance.now() - started)
      await wait(PAUSE_MS[task])
    }
    return [task, experience]
  }
  return Object.fromEntries(await Promise.all(TASKS.map(lane))) as Experiences
}
