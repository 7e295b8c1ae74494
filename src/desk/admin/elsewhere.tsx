/** Puts a space or a collection elsewhere: into another collection or organization, or, as a copy, next to itself. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload, useData } from '../api/data.js'
import { open } from '../route.js'
import { Icon } from '../shell/icons.js'
import { attempt, toast } from '../shell/toast.js'
import { fill } from '../words/index.js'
import { Pick } from './form.js'
import { collectionPath } from './names.js'
import { useQuestion } from './question.js'
import { adminWords } from './words.js'

interface Content {
  type: 'space' | 'collection'
  id: string
  title: string
  organization: string
}

/** The collections into which a collection can move: none that it contains. */
export function otherPlaces(
  { id }: Pick<Content, 'id'>,
  collections: readonly Schemas['Collection'][],
): readonly (readonly [id: string, path: string])[] {
  const isWithin = (one: Schemas['Collection']): boolean => {
    const above = collections.find((other) => other.id === one.parent)
    return one.id === id || (above !== undefined && isWithin(above))
  }
  return collections.filter((one) => !isWithin(one)).map((one) => [one.id, collectionPath(one, collections)])
}

/** Moves a collection into another one; an empty text is the top level. */
export async function moveCollection(collectionId: string, parent: string): Promise<void> {
  const params = { path: { collectionId } }
  const input = { parent: parent === '' ? null : parent }
  await body(api.POST('/v1/collections/{collectionId}/move', { params, body: input }))
}

async function transfer({ type, id, organization: from }: Content, organization: string): Promise<void> {
  if (type === 'space') {
    const params = { path: { spaceId: id } }
    await body(api.POST('/v1/spaces/{spaceId}/transfer', { params, body: { organization } }))
  } else {
    const params = { path: { collectionId: id } }
    await body(api.POST('/v1/collections/{collectionId}/transfer', { params, body: { organization } }))
  }
  await Promise.all([reload(`orgs/${from}/`), reload(`space/${id}`), reload('home/')])
}

/** A list of the other organizations and the button. Shown only to people who may create content in another one. */
export function Transfer({ content }: { content: Content }) {
  const w = adminWords().elsewhere
  const [chosen, setChosen] = useState<string | null>(null)
  const [ask, question] = useQuestion()
  const organizations = useData('organizations', async () => (await body(api.GET('/v1/orgs', {}))).items).value
  const others = organizations?.filter(
    ({ id, permissions }) => id !== content.organization && permissions.createContent,
  )
  const target = others?.find(({ id }) => id === chosen) ?? others?.[0]
  if (!others || !target) return null
  const start = (): void =>
    ask({
      title: fill(w.transferTitle, { title: content.title, organization: target.title }),
      text: content.type === 'space' ? w.transferSpace : w.transferCollection,
      button: w.transfer,
      run: async () => {
        await transfer(content, target.id)
        toast(fill(w.transferred, { title: content.title, organization: target.title }))
        open(content.type === 'space' ? `/s/${content.id}` : `/collections/${content.id}`)
      },
    })
  return (
    <div class="row wrap">
      <Pick
        label={w.organization}
        value={target.id}
        of={others.map(({ id, title }) => [id, title] as const)}
        onChange={setChosen}
      />
      <button type="button" class="btn small" onClick={start}>
        <Icon name="arrow" />
        {w.transfer}
      </button>
      {question}
    </div>
  )
}

/** Copies a space and opens the copy. */
export function Duplicate({ space }: { space: Schemas['Space'] }) {
  const w = adminWords().elsewhere
  const [isBusy, setBusy] = useState(false)
  const copy = async (): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    await attempt(async () => {
      const params = { path: { spaceId: space.id } }
      const made = await body(api.POST('/v1/spaces/{spaceId}/duplicate', { params }))
      await reload('home/')
      toast(fill(w.duplicated, { title: made.title }))
      open(`/s/${made.id}`)
    })
    setBusy(false)
  }
  return (
    <button type="button" class="btn small" aria-disabled={isBusy || undefined} onClick={() => void copy()}>
      <Icon name="copy" />
      {isBusy ? w.duplicating : w.duplicate}
    </button>
  )
}
