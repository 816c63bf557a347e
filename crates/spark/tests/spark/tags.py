"""Compares every name, number and type of src/messages.rs with the descriptors of the installed pyspark.

Prints one line a difference and ends with 1 where there is one; prints how many fields agree otherwise.
"""

import re
import sys
from pathlib import Path

from google.protobuf import any_pb2, empty_pb2  # noqa: F401 (they register their descriptors)
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pool import Default
from google.rpc import error_details_pb2, status_pb2  # noqa: F401
from pyspark.sql.connect.proto import base_pb2  # noqa: F401

TYPES = {
    "string": FieldDescriptor.TYPE_STRING,
    "bytes": FieldDescriptor.TYPE_BYTES,
    "bool": FieldDescriptor.TYPE_BOOL,
    "int32": FieldDescriptor.TYPE_INT32,
    "int64": FieldDescriptor.TYPE_INT64,
    "double": FieldDescriptor.TYPE_DOUBLE,
    "enumeration": FieldDescriptor.TYPE_ENUM,
    "message": FieldDescriptor.TYPE_MESSAGE,
    "map": FieldDescriptor.TYPE_MESSAGE,
}


def main(path):
    text = Path(path).read_text()
    problems, fields = [], 0
    messages = re.findall(r"^// ([\w.]+)\n#\[derive\([^\n]*Message\)\]\npub struct (\w+) \{(.*?)\}$", text, re.M | re.S)
    full_names = {struct: full for full, struct, _ in messages}
    pool = Default()
    for full, _, body in messages:
        descriptor = pool.FindMessageTypeByName(full)
        for attribute, name, rust in re.findall(r"#\[prost\((.*?)\)\]\s+pub (?:r#)?(\w+): ([^\n]+),\n", body):
            fields += 1
            words = [word.strip() for word in attribute.split(",")]
            kind = re.match(r"\w+", words[0])[0]
            tag = int(re.search(r'tag = "(\d+)"', attribute)[1])
            field = descriptor.fields_by_name.get(name)
            where = f"{full}.{name}"
            if field is None:
                problems.append(f"{where}: there is no such field")
                continue
            if field.number != tag:
                problems.append(f"{where}: number {tag}, but it is {field.number}")
            if field.type != TYPES[kind]:
                problems.append(f"{where}: {kind}, but its type is number {field.type}")
            repeated = "repeated" in words or kind == "map"
            if field.is_repeated != repeated:
                problems.append(f"{where}: repeated or not is wrong")
            # Only fields that say whether they are there may be left out by us, and the other way round.
            if not repeated and field.has_presence != ("optional" in words):
                problems.append(f"{where}: optional or not is wrong")
            inner = re.search(r"(\w+)>*$", rust)[1]
            if kind == "message" and inner != "Empty" and field.message_type.full_name != full_names.get(inner):
                problems.append(f"{where}: {inner}, but it holds {field.message_type.full_name}")
    for full, body in re.findall(r"^// ([\w.]+)\n#\[derive\([^\n]*Enumeration\)\].*?pub enum \w+ \{(.*?)\}$", text, re.M | re.S):
        ours = {int(number): name.upper() for name, number in re.findall(r"(\w+) = (\d+)", body)}
        for value in pool.FindEnumTypeByName(full).values:
            fields += 1
            if not value.name.replace("_", "").endswith(ours.get(value.number, "?")):
                problems.append(f"{full}: {value.name} is {value.number}")
    print("\n".join(problems) if problems else f"{fields} fields agree")
    return 1 if problems or fields < 100 else 0


sys.exit(main(sys.argv[1]))
