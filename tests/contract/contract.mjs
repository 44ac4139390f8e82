// protocol/openrpc.json, with a validator for each thing that the server sends.
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";

const path = new URL("../../protocol/openrpc.json", import.meta.url);
const text = readFileSync(path, "utf8");

/** The document as it stands in the repository. */
export const document = JSON.parse(text);

/** The validators of a document: by method, by notification, and of replies as such. */
export class Contract {
  constructor(openrpc = document) {
    const ajv = new Ajv({ strict: true, allowUnionTypes: true });
    ajv.addSchema({ $id: "components", definitions: atHome(openrpc.components.schemas) });
    const compile = (schema) => ajv.compile(atHome(schema));
    const codes = (references) =>
      new Set(references.map((each) => openrpc.components.errors[each.$ref.split("/").at(-1)].code));

    this.methods = new Map(
      openrpc.methods.map((method) => [
        method.name,
        {
          params: compile(paramsSchema(method.params)),
          result: compile(method.result.schema),
          errors: codes(method.errors),
          examples: method.examples,
        },
      ]),
    );
    this.notifications = new Map(
      openrpc["x-notifications"].map((each) => [
        each.name,
        compile(envelope({ method: { const: each.name }, params: each.params })),
      ]),
    );
    const id = { type: ["string", "number", "null"] };
    this.isResult = compile(envelope({ id, result: {} }));
    this.isError = compile(envelope({ id, error: { $ref: "#/components/schemas/Error" } }));
    this.errorsOfAny = codes(openrpc["x-errors"].anyRequest);
    // Of servers of that kind.
    this.errorsOfKind = { replay: codes(openrpc["x-errors"].replay), cluster: codes(openrpc["x-errors"].cluster) };
    this.errorsWithoutId = codes(openrpc["x-errors"].withoutId);
  }
}

/** What a validator has to say of the value that it just refused. */
export function complaint(validate) {
  const { instancePath, message, params } = validate.errors.at(-1);
  const detail = params.additionalProperty ?? params.allowedValues ?? params.allowedValue;
  return `${instancePath || "it"} ${message}${detail === undefined ? "" : ` (${detail})`}`;
}

function paramsSchema(params) {
  return {
    type: "object",
    properties: Object.fromEntries(params.map(({ name, schema }) => [name, schema])),
    required: params.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function envelope(members) {
  return {
    type: "object",
    properties: { jsonrpc: { const: "2.0" }, ...members },
    required: ["jsonrpc", ...Object.keys(members)],
    additionalProperties: false,
  };
}

// OpenRPC's components.schemas are where JSON Schema has definitions.
function atHome(schema) {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"components#/definitions/'));
}
