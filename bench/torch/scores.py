"""Scores of saved models: scores.py FILE... where FILE.safetensors holds a model and the metadata
`riffle` its configuration in JSON, and FILE.inputs.safetensors objects, arrangements and times.
Writes FILE.scores.safetensors.
"""

import json
import sys

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

import riffle_torch

if __name__ == "__main__":
    torch.set_num_threads(1)
    for name in sys.argv[1:]:
        path = f"{name}.safetensors"
        with safe_open(path, "pt") as f:
            config = json.loads(f.metadata()["riffle"])
        with torch.no_grad():
            scores = riffle_torch.load(path, config)(**load_file(f"{name}.inputs.safetensors"))
        save_file({"scores": scores.contiguous()}, f"{name}.scores.safetensors")
