/** The settings of a space: name, access, merge rules, files and deletion. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { ChoiceField, FormError, Submit, TextField, useForm } from '../admin/form.js'
import { MergeRules } from '../admin/merge-rules.js'
import { collectionPath, useCollections, useSpaces } from '../admin/names.js'
import { ROLES, type Role, roleName } from '../admin/roles.js'
import { SpaceMembers } from '../admin/content-members.js'
import { SpaceExtras } from '../admin/space-extras.js'
import { adminWords } from '../admin/words.js'
import { open } from '../route.js'
import { Switch } from '../shell/fields.js'
import { Icon } from '../shell/icons.js'
import { Nothing } from '../shell/notes.js'
import { attempt, toast } from '../shell/toast.js'
import { SpaceFrame } from '../space/space-frame.js'
import { type Space, useSpace } from '../space/space.js'
import { fill } from '../words/index.js'
import { Waiting } from '../shell/frame.js'

export function SpaceSettings({ space: id = '' }: { space?: string }) {
  const w = adminWords().space
  const space = useSpace(id)
  if (!space.value) return <Waiting title={w.title} data={[space]} />
  return (
    <SpaceFrame space={space.value} title={fill(w.screen, { space: space.value.title })} tab="settings">
      {space.value.permissions.admin ? <Settings key={space.value.id} space={space.value} /> : <Nothing />}
    </SpaceFrame>
  )
}

async function change(space: Space, changes: Partial<Schemas['UpdateSpace']>): Promise<void> {
  const params = { path: { spaceId: space.id } }
  await body(api.PATCH('/v1/spaces/{spaceId}', { params, body: changes }))
  await Promise.all([reload(`space/${space.id}`), reload('home/')])
}

/** Moves a space into a collection; an empty text is the top level. */
async function move(space: Space, parent: string): Promise<void> {
  const params = { path: { spaceId: space.id } }
  await body(api.POST('/v1/spaces/{spaceId}/move', { params, body: { parent: parent === '' ? null : parent } }))
}

function Settings({ space }: { space: Space }) {
  const w = adminWords().space
  return (
    <div class="mid stack l">
      <h1 class="title">{w.title}</h1>
      <General space={space} />
      <section class="stack s" id="members">
        <h2 class="h">{w.members}</h2>
        <SpaceMembers space={space} />
      </section>
      <Protection space={space} />
      <SpaceExtras space={space} />
      <Delete space={space} />
    </div>
  )
}

type Visibility = Space['visibility']
const VISIBILITIES = ['private', 'in-collection', 'public', 'unlisted', 'share-link', 'visitor-auth'] as const

function General({ space }: { space: Space }) {
  const w = adminWords().space
  const [title, setTitle] = useState(space.title)
  const [visibility, setVisibility] = useState<Visibility>(space.visibility)
  const [level, setLevel] = useState<Role | 'inherit' | 'none'>(space.defaultLevel ?? 'none')
  const collections = useCollections(space.organization)
  const [parent, setParent] = useState(space.parent ?? '')
  const spaces = useSpaces(space.organization)
  const [code, setCode] = useState(space.codeSpace ?? '')
  const form = useForm(async () => {
    if (parent !== (space.parent ?? '')) await move(space, parent)
    const codeSpace = code === (space.codeSpace ?? '') ? {} : { codeSpace: code === '' ? null : code }
    await change(space, { title, visibility, defaultLevel: level === 'none' ? null : level, ...codeSpace })
    toast(w.saved)
  })
  const offered = VISIBILITIES.filter((one) => one !== 'in-collection' || space.parent !== undefined)
  return (
    <form class="panel" onSubmit={form.submit}>
      <div class="pb stack">
        <TextField label={w.name} error={form.error('title')} value={title} onInput={setTitle} required />
        {collections && collections.length > 0 && (
          <ChoiceField
            label={w.collection}
            help={w.collectionHelp}
            error={form.error('parent')}
            value={parent}
            of={[
              ['', adminWords().collections.top],
              ...collections
                .filter((one) => one.permissions.create || one.id === space.parent)
                .map((one) => [one.id, collectionPath(one, collections)] as const),
            ]}
            onChange={setParent}
          />
        )}
        <ChoiceField
          label={w.level}
          help={w.levelHelp}
          error={form.error('defaultLevel')}
          value={level}
          of={[['inherit', w.inherit], ['none', w.noLevel], ...ROLES.map((role) => [role, roleName(role)] as const)]}
          onChange={setLevel}
        />
        <ChoiceField
          label={w.visibility}
          help={w.visibilityMeans[visibility]}
          error={form.error('visibility')}
          value={visibility}
          of={offered.map((one) => [one, w.visibilities[one]] as const)}
          onChange={setVisibility}
        />
        <ChoiceField
          label={w.code}
          help={w.codeHelp}
          error={form.error('codeSpace')}
          value={code}
          of={[['', w.ownCode], ...codeSpaces(space, spaces ?? [])]}
          onChange={setCode}
        />
        <FormError form={form} />
        <div class="row">
          <Submit form={form}>{w.save}</Submit>
        </div>
      </div>
    </form>
  )
}

/** The spaces whose code the pages can describe. The chosen one is named by its ID if the caller cannot read it. */
function codeSpaces(space: Space, all: readonly Schemas['Space'][]): (readonly [string, string])[] {
  const others = all.filter(({ id }) => id !== space.id).map(({ id, title }) => [id, title] as const)
  const chosen = space.codeSpace
  return chosen === undefined || others.some(([id]) => id === chosen) ? others : [...others, [chosen, chosen]]
}

/** The protection of the main content: direct changes, and the rules for merges. */
function Protection({ space }: { space: Space }) {
  const w = adminWords().space
  return (
    <section class="panel" aria-labelledby="protection">
      <div class="ph">
        <h2 class="h" id="protection">
          {w.protection}
        </h2>
      </div>
      <div class="pb stack">
        <Switch
          checked={space.editMode === 'locked'}
          onChange={(isLocked) => attempt(() => change(space, { editMode: isLocked ? 'locked' : 'live' }))}
        >
          {w.locked}
        </Switch>
        <p class="help">{w.lockedHelp}</p>
        <MergeRules
          organization={space.organization}
          rules={space.mergeRules}
          mayInherit
          save={(mergeRules) => change(space, { mergeRules })}
        />
      </div>
    </section>
  )
}

function Delete({ space }: { space: Space }) {
  const w = adminWords().space
  const params = { path: { spaceId: space.id } }
  const remove = () =>
    attempt(async () => {
      await body(api.DELETE('/v1/spaces/{spaceId}', { params }))
      const refresh = () => Promise.all([reload('home/'), reload(`orgs/${space.organization}/`)])
      await refresh()
      toast(fill(w.deleted, { space: space.title }), {
        undo: async () => {
          await body(api.POST('/v1/spaces/{spaceId}/restore', { params }))
          await refresh()
          open(`/s/${space.id}/settings`)
        },
      })
      open('/')
    })
  return (
    <section class="panel" aria-labelledby="delete">
      <div class="pb row wrap">
        <div class="grow">
          <h2 class="h" id="delete">
            {w.delete}
          </h2>
          <p class="help">{w.deleteHelp}</p>
        </div>
        <button type="button" class="btn danger" onClick={remove}>
          <Icon name="trash" />
          {w.delete}
        </button>
      </div>
    </section>
  )
}
