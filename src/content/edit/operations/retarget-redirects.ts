/** Makes the redirects of `.gitbook.yaml` follow the files that they lead to. */
import { redirectKey } from '../../config.js'
import { isRecord, sameValue } from '../../json.js'
import { CONFIG_FILE } from '../../known-files.js'
import { unlessTooCostly } from '../../work/text-work.js'
import type { Batch } from '../batch.js'
import { renamedTarget } from '../rewrite-references.js'
import { inFolder } from './table-of-contents.js'

/**
 * Changes the targets of redirects to files that are about to move (old path → new path). Old addresses would else stop working with
 * the move. What cannot be edited stays as it is (a diagnostic reports the redirect), since nobody asked for this edit.
 */
export async function retargetRedirects(batch: Batch, moved: ReadonlyMap<string, string>): Promise<void> {
  const { config } = await batch.workspace.structure()
  if (!Object.values(config.redirects).some((file) => moved.has(file))) return
  const text = (await batch.workspace.text(CONFIG_FILE)) ?? ''
  const written = await redirectsIn(batch, text)
  if (written === null) return
  const targets: Record<string, string> = {}
  for (const [from, value] of Object.entries(written)) {
    const old = redirectKey(from)
    const file = Object.hasOwn(config.redirects, old) ? (config.redirects[old] as string) : ''
    const there = moved.get(file)
    const target = String(value).trim()
    if (there === undefined) continue
    targets[from] = renamedTarget(target, file, {
      from: inFolder(config.root, CONFIG_FILE),
      to: there,
      root: config.root,
    })
  }
  const edited = await unlessTooCostly(batch.work.setYaml(text, targets, ['redirects']), null)
  if (!edited || !('done' in edited)) return
  // Of a key that is there twice the last one counts, and one with characters that nobody sees is not found for an edit.
  if (sameValue(await redirectsIn(batch, edited.done), { ...written, ...targets }))
    await batch.workspace.setText(CONFIG_FILE, edited.done)
}

/** The redirects of a configuration as they are written; null if there are none, or if they cannot be read. */
async function redirectsIn({ work }: Pick<Batch, 'work'>, text: string): Promise<Record<string, unknown> | null> {
  const yaml = await unlessTooCostly(work.yaml(text), null)
  const value = yaml?.ok ? yaml.entries?.find(({ key }) => key === 'redirects')?.value : undefined
  return isRecord(value) ? value : null
}
