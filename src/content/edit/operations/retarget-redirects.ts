/** Updates the redirects of `.gitbook.yaml` when their target files move. */
import { own } from '../../../kernel/defined.js'
import { redirectKey } from '../../config.js'
import { isRecord, sameValue } from '../../json.js'
import { CONFIG_FILE } from '../../known-files.js'
import { unlessTooCostly } from '../../work/text-work.js'
import type { Batch } from '../batch.js'
import { renamedTarget } from '../rewrite-references.js'
import { inFolder } from './table-of-contents.js'

/**
 * Changes the targets of redirects to files that are about to move (new path by old path). Without this, old addresses
 * would stop working. If a redirect cannot be edited, it is left unchanged (a diagnostic reports it), because the
 * client did not request this edit.
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
    const file = own(config.redirects, old) ?? ''
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
  // If a key is repeated, the last one counts. A key with invisible characters is not found by an edit.
  if (sameValue(await redirectsIn(batch, edited.done), { ...written, ...targets }))
    await batch.workspace.setText(CONFIG_FILE, edited.done)
}

/** Returns the redirects of a configuration as written; null if they are missing or cannot be read. */
async function redirectsIn({ work }: Pick<Batch, 'work'>, text: string): Promise<Record<string, unknown> | null> {
  const yaml = await unlessTooCostly(work.yaml(text), null)
  const value = yaml?.ok ? yaml.entries?.find(({ key }) => key === 'redirects')?.value : undefined
  return isRecord(value) ? value : null
}
