import { Story } from './cut-exports-world.js'
import { pick, pickWeighted } from '../simulation/two-sided/random.js'

type Step = (story: Story) => Promise<string>

/** Changes to the files of one side with plain Git: pages are moved, exchanged, edited, added, deleted and renamed. */
const edits: readonly (readonly [number, (story: Story, files: Map<string, string>) => string])[] = [
  [4, (story, files) => story.edit(files)],
  [4, (story, files) => story.moveFile(files)],
  [3, (story, files) => story.exchange(files)],
  [2, (story, files) => story.retitle(files)],
  [1, (story, files) => story.addFile(files)],
  [1, (story, files) => story.deleteFile(files)],
]

const steps: readonly (readonly [number, Step])[] = [
  [5, (story) => story.api()],
  [4, (story) => story.commit('here', pickWeighted(story.next, edits))],
  [5, (story) => story.commit('there', pickWeighted(story.next, edits))],
  [3, (story) => story.sync('import', 'main')],
  [2, (story) => story.sync('export', 'main')],
  [2, (story) => story.cutExport('main')],
  [3, (story) => story.cutExport('docs')],
  [1, (story) => story.sync('export', 'docs')],
  [4, (story) => story.mergeDocs(pick(story.next, ['merge', 'squash', 'rebase']) ?? 'merge')],
  [1, (story) => story.restart()],
]

/** Plays one story. Throws the earlier steps if an ID changed. */
export async function playCutExports(seed: number, count: number): Promise<void> {
  const story = await Story.begin(seed)
  const told: string[] = []
  try {
    for (let step = 0; step < count; step++) {
      told.push(`${step}: ${await pickWeighted(story.next, steps)(story)}`)
      await story.judge()
    }
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}\n${told.join('\n')}`, { cause: error })
  } finally {
    await story.close()
  }
}
