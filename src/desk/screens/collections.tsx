/** The collections of an organization: what they are called, who has a role on them, and what is within them. */
import { useState } from 'preact/hooks'
import { CollectionMembers } from '../admin/content-members.js'
import { moveCollection, otherPlaces, Transfer } from '../admin/elsewhere.js'
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { ChoiceField, type Form, FormError, Submit, TextField, useForm } from '../admin/form.js'
import { AddButton, Listing, OpeningRow, usePages } from '../admin/lists.js'
import { collectionPath, useCollections, useSpaces } from '../admin/names.js'
import { type Organization, OrganizationFrame } from '../admin/organization.js'
import { useQuestion } from '../admin/question.js'
import { ROLES, type Role, roleName } from '../admin/roles.js'
import { adminWords } from '../admin/words.js'
import { Dialog } from '../shell/dialog.js'
import { Icon } from '../shell/icons.js'
import { toast } from '../shell/toast.js'
import { fill, plural } from '../words/index.js'

type Collection = Schemas['Collection']

const MAX_TITLE = 50
const refresh = (organization: string) => Promise.all([reload(`orgs/${organization}/`), reload('home/')])

/** The screen. */
export function Collections({ org = '' }: { org?: string }) {
  const w = adminWords().collections
  const [isAdding, setAdding] = useState(false)
  return (
    <OrganizationFrame
      id={org}
      part="collections"
      end={({ permissions }) => permissions.createContent && <AddButton text={w.add} onClick={() => setAdding(true)} />}
    >
      {(organization) => (
        <>
          <p class="ink2">{w.lead}</p>
          <Table organization={organization} />
          {isAdding && <New organization={organization} onClose={() => setAdding(false)} />}
        </>
      )}
    </OrganizationFrame>
  )
}

function Name({ form, ...field }: { form: Form; value: string; onInput: (title: string) => void }) {
  return (
    <TextField
      label={adminWords().collections.name}
      error={form.error('title')}
      maxLength={MAX_TITLE}
      required
      {...field}
    />
  )
}

function New({ organization, onClose }: { organization: Organization; onClose: () => void }) {
  const w = adminWords().collections
  const [title, setTitle] = useState('')
  const [parent, setParent] = useState('')
  const collections = useCollections(organization.id) ?? []
  const form = useForm(async () => {
    const params = { path: { organizationId: organization.id } }
    const input = { title, ...(parent === '' ? {} : { parent }) }
    await body(api.POST('/v1/orgs/{organizationId}/collections', { params, body: input }))
    await refresh(organization.id)
    onClose()
  })
  return (
    <Dialog title={w.add} onClose={onClose}>
      <div>
        <form class="stack" onSubmit={form.submit}>
          <Name form={form} value={title} onInput={setTitle} />
          <ChoiceField
            label={w.within}
            error={form.error('parent')}
            value={parent}
            of={[['', w.top], ...collections.map((one) => [one.id, collectionPath(one, collections)] as const)]}
            onChange={setParent}
          />
          <FormError form={form} />
          <div class="row">
            <Submit form={form}>{w.create}</Submit>
          </div>
        </form>
      </div>
    </Dialog>
  )
}

function Table({ organization }: { organization: Organization }) {
  const w = adminWords().collections
  const all = useCollections(organization.id) ?? []
  const spaces = useSpaces(organization.id) ?? []
  const list = usePages<Collection>(`orgs/${organization.id}/collections`, (query) =>
    body(
      api.GET('/v1/orgs/{organizationId}/collections', {
        params: { path: { organizationId: organization.id }, query },
      }),
    ),
  )
  return (
    <Listing
      of={list}
      icon="book"
      noneTitle={w.noneTitle}
      none={w.none}
      columns={[{ name: w.name }, { name: w.spaces, class: 'num' }, { name: w.settings, isHidden: true }]}
    >
      {(one) => {
        const path = collectionPath(one, all)
        const inside = spaces.filter(({ parent }) => parent === one.id).length
        return (
          <OpeningRow
            key={one.id}
            id={one.id}
            label={fill(w.settingsOf, { collection: path })}
            span={3}
            cells={
              <>
                <td>
                  <a href={`/collections/${one.id}`}>{path}</a>
                </td>
                <td class="num" data-label={w.spaces}>
                  {inside}
                </td>
              </>
            }
          >
            {() => <One collection={one} />}
          </OpeningRow>
        )
      }}
    </Listing>
  )
}

function One({ collection }: { collection: Collection }) {
  const w = adminWords().collections
  if (!collection.permissions.admin) return <p class="muted">{w.mayNot}</p>
  return (
    <div class="stack">
      <General collection={collection} />
      <h2 class="h">{adminWords().space.members}</h2>
      <CollectionMembers collection={collection} />
      <Transfer content={{ type: 'collection', ...collection }} />
      <Delete collection={collection} />
    </div>
  )
}

function General({ collection }: { collection: Collection }) {
  const w = adminWords().collections
  const s = adminWords().space
  const [title, setTitle] = useState(collection.title)
  const [description, setDescription] = useState(collection.description ?? '')
  const [level, setLevel] = useState<Role | 'inherit' | 'none'>(collection.defaultLevel ?? 'none')
  const [parent, setParent] = useState(collection.parent ?? '')
  const collections = useCollections(collection.organization)
  const form = useForm(async () => {
    const changes = {
      title,
      description: description === '' ? null : description,
      defaultLevel: level === 'none' ? null : level,
    }
    const params = { path: { collectionId: collection.id } }
    await body(api.PATCH('/v1/collections/{collectionId}', { params, body: changes }))
    if (parent !== (collection.parent ?? '')) await moveCollection(collection.id, parent)
    await refresh(collection.organization)
    toast(s.saved)
  })
  return (
    <form class="stack" onSubmit={form.submit}>
      <Name form={form} value={title} onInput={setTitle} />
      <TextField
        label={w.description}
        error={form.error('description')}
        value={description}
        onInput={setDescription}
        maxLength={100}
      />
      {collections && (
        <ChoiceField
          label={w.within}
          error={form.error('parent')}
          value={parent}
          of={[['', w.top], ...otherPlaces(collection, collections)]}
          onChange={setParent}
        />
      )}
      <ChoiceField
        label={s.level}
        help={s.levelHelp}
        error={form.error('defaultLevel')}
        value={level}
        of={[['inherit', w.inherit], ['none', s.noLevel], ...ROLES.map((role) => [role, roleName(role)] as const)]}
        onChange={setLevel}
      />
      <FormError form={form} />
      <div class="row">
        <Submit form={form} small>
          {s.save}
        </Submit>
      </div>
    </form>
  )
}

function Delete({ collection }: { collection: Collection }) {
  const w = adminWords().collections
  const [ask, question] = useQuestion()
  const inside = (useSpaces(collection.organization) ?? []).filter(({ parent }) => parent === collection.id).length
  const remove = () =>
    ask({
      title: fill(w.deleteTitle, { collection: collection.title }),
      text: plural(w.deleteText, inside),
      button: w.delete,
      run: async () => {
        const params = { path: { collectionId: collection.id } }
        await body(api.DELETE('/v1/collections/{collectionId}', { params }))
        await refresh(collection.organization)
      },
    })
  return (
    <div class="row">
      <button type="button" class="btn small" onClick={remove}>
        <Icon name="trash" />
        {w.delete}
      </button>
      {question}
    </div>
  )
}
