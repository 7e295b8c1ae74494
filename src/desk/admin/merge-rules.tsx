/** The editor of merge rules, of an organization or of a space. */
import { useState } from 'preact/hooks'
import type { Schemas } from '../api/client.js'
import { toast } from '../shell/toast.js'
import { plural } from '../words/index.js'
import { AreaField, CheckField, FormError, Submit, TextField, useForm } from './form.js'
import { useMembers } from './names.js'
import { adminWords } from './words.js'

type Rule = Schemas['MergeRule']
type SpaceRules = Schemas['SpaceMergeRules']
type Of<R extends Rule['rule']> = Extract<Rule, { rule: R }>

const SIMPLE = [
  'require_at_least_one_review',
  'require_at_least_one_approved_review',
  'require_all_reviews_approved',
  'require_up_to_date_change_request',
  'require_change_request_subject',
  'require_change_request_description',
  'require_author_to_merge',
] as const
const PEOPLE = ['require_specific_reviewers', 'require_one_of_specific_reviewers', 'allow_bypass'] as const

type People = (typeof PEOPLE)[number]

/** Returns the people of a rule. Null if the rule is not set. */
const peopleOf = (rules: readonly Rule[], rule: People): readonly string[] | null => {
  const found = rules.find((one) => one.rule === rule)
  return found && 'users' in found ? found.users : null
}

const isCustom = (rule: Rule): rule is Of<'custom'> => rule.rule === 'custom'

/** Renders the rules with their options. `save` sends them. */
export function MergeRules({
  organization,
  rules,
  mayInherit,
  save,
}: {
  organization: string
  rules: SpaceRules
  /** Whether the rules of the organization can apply instead. */
  mayInherit: boolean
  save: (rules: SpaceRules) => Promise<unknown>
}) {
  const w = adminWords().rules
  const [type, setType] = useState<SpaceRules['type']>(rules.type)
  const [chosen, setChosen] = useState<readonly Rule[]>(rules.type === 'rules' ? rules.rules : [])
  const form = useForm(async () => {
    await save(type === 'rules' ? { type, rules: [...chosen] } : { type })
    toast(w.saved)
  })
  return (
    <form class="stack" onSubmit={form.submit}>
      <fieldset class="stack s">
        <legend class="lab">{w.which}</legend>
        {mayInherit && (
          <CheckField type="radio" name="rules" checked={type === 'inherit'} onChange={() => setType('inherit')}>
            {w.inherit}
          </CheckField>
        )}
        <CheckField type="radio" name="rules" checked={type === 'none'} onChange={() => setType('none')}>
          {w.no}
        </CheckField>
        <CheckField type="radio" name="rules" checked={type === 'rules'} onChange={() => setType('rules')}>
          {w.own}
        </CheckField>
      </fieldset>
      {type === 'rules' && <RuleList organization={organization} rules={chosen} onChange={setChosen} form={form} />}
      <FormError form={form} />
      <div class="row">
        <Submit form={form}>{w.save}</Submit>
      </div>
    </form>
  )
}

function RuleList({
  organization,
  rules,
  onChange,
  form,
}: {
  organization: string
  rules: readonly Rule[]
  onChange: (rules: readonly Rule[]) => void
  form: ReturnType<typeof useForm>
}) {
  const w = adminWords().rules
  const without = (rule: Rule['rule']) => rules.filter((one) => one.rule !== rule)
  const custom = rules.filter(isCustom)
  const setCustom = (at: number, to: Of<'custom'> | null) =>
    onChange([...without('custom'), ...custom.map((one, n) => (n === at ? to : one)).filter((one) => one !== null)])
  return (
    <fieldset class="panel">
      <legend class="vh">{w.rules}</legend>
      <ul class="list">
        {SIMPLE.map((rule) => (
          <li key={rule}>
            <CheckField
              checked={rules.some((one) => one.rule === rule)}
              onChange={(isOn) => onChange(isOn ? [...rules, { rule }] : without(rule))}
            >
              {w.names[rule]}
            </CheckField>
          </li>
        ))}
        {PEOPLE.map((rule) => (
          <li key={rule}>
            <PeopleRule
              organization={organization}
              rule={rule}
              users={peopleOf(rules, rule)}
              error={form.error(`mergeRules/rules/${rules.findIndex((one) => one.rule === rule)}`)}
              onChange={(users) => onChange(users === null ? without(rule) : [...without(rule), { rule, users }])}
            />
          </li>
        ))}
        {custom.map((one, at) => (
          <li key={at}>
            <div class="stack s grow">
              <AreaField
                label={w.expression}
                help={w.expressionHelp}
                error={form.error(`mergeRules/rules/${rules.indexOf(one)}/expression`)}
                value={one.expression}
                onInput={(expression) => setCustom(at, { ...one, expression })}
                rows={2}
                mono
                required
              />
              <TextField
                label={w.message}
                error={form.error(`mergeRules/rules/${rules.indexOf(one)}/message`)}
                value={one.message}
                onInput={(message) => setCustom(at, { ...one, message })}
                required
              />
              <button type="button" class="btn small quiet" onClick={() => setCustom(at, null)}>
                {w.removeCustom}
              </button>
            </div>
          </li>
        ))}
        <li>
          <button
            type="button"
            class="btn small"
            onClick={() => onChange([...rules, { rule: 'custom', expression: '', message: '' }])}
          >
            {w.addCustom}
          </button>
        </li>
      </ul>
    </fieldset>
  )
}

function PeopleRule({
  organization,
  rule,
  users,
  error,
  onChange,
}: {
  organization: string
  rule: People
  users: readonly string[] | null
  error: string | undefined
  onChange: (users: string[] | null) => void
}) {
  const w = adminWords().rules
  const members = useMembers(organization) ?? []
  return (
    <div class="stack s grow">
      <CheckField checked={users !== null} onChange={(isOn) => onChange(isOn ? [] : null)}>
        {w.names[rule]}
      </CheckField>
      {users !== null && (
        <details class="opt" open={users.length === 0}>
          <summary>{plural(w.people, users.length)}</summary>
          <div>
            {members.map(({ id, user }) => (
              <CheckField
                key={id}
                checked={users.includes(id)}
                onChange={(isOn) => onChange(isOn ? [...users, id] : users.filter((one) => one !== id))}
              >
                {user.displayName} <span class="muted sm">{user.email}</span>
              </CheckField>
            ))}
          </div>
        </details>
      )}
      {error !== undefined && (
        <p class="help bad" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
